"""Running untrusted code: what a run is given, and how it ended."""
