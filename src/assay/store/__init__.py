"""Sessions, events, replies and checkpoints in one database."""
