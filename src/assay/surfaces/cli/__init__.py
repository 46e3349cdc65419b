"""The command line: thin, over the same events as every other surface.

Only code (or JSON, or a table that was asked for) goes to stdout; all else goes to stderr.
"""

from __future__ import annotations

import os
import sys

STOPPED = 130


def main() -> None:
    """Run the command `assay` and exit with its status."""
    from assay.surfaces.cli.streams import abandon, prepare_streams

    _insist_on_utf8()
    prepare_streams()
    try:
        status = _run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        abandon(sys.stdout)
        status = 1
    except KeyboardInterrupt:
        status = STOPPED
    sys.exit(status)


def _insist_on_utf8() -> None:
    """Start again in Python's UTF-8 mode where the locale is something else.

    In another, names of files and arguments would be mangled, and some could not be used at all.
    """
    if sys.getfilesystemencoding() != "utf-8":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606


def _run(arguments: list[str]) -> int:
    """Run one command and return its exit status; every error ends in a sentence."""
    import typer

    from assay.surfaces.cli.app import app
    from assay.surfaces.cli.exits import tell_bug, tell_wrong_use

    try:
        return app(arguments or ["--help"], prog_name="assay", standalone_mode=False) or 0
    except typer.TyperException as error:
        return tell_wrong_use(error, arguments)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the last one who can say it in words
        return tell_bug(error, arguments)
