"""What people and programs touch; thin, over the same events."""
