"""What `make bench` runs: each module measures one thing side by side and returns rows."""
