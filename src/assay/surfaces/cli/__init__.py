"""The command line: thin, over the same events as every other surface.

Only code (or JSON, or a table that was asked for) goes to stdout; all else goes to stderr.
"""

from __future__ import annotations

import os
import sys

STOPPED = 130


def main() -> None:
    """Run the command `assay` and exit with its status."""
    from assay.surfaces.cli.app import app

    try:
        app(prog_name="assay")
    except BrokenPipeError:
        # The reader has gone; Python's own flush at exit must not complain of it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(STOPPED)
