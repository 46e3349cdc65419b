"""Ways to test a solution; each ends in a verdict."""
