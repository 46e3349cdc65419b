"""Tapes: every call of a session's model in a file, and a model that plays it back."""
