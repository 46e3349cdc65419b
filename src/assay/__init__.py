"""A coding assistant that runs what it writes, and shows what it ran."""

__version__ = "0.1.0"
