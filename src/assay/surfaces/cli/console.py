"""How rich writes to stdout and stderr: plainly where sequences are not wanted."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console

from assay.surfaces.cli.streams import abandon, is_plain


class StreamConsole(Console):
    """A console on a standard stream, which outlives its reader."""

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        plain = is_plain(stream)
        super().__init__(
            file=stream,
            quiet=quiet,
            highlight=False,
            soft_wrap=True,
            force_terminal=not plain,
            color_system=None if plain else "auto",
        )
        self._stream = stream

    def on_broken_pipe(self) -> None:
        """Go on in silence; rich would end the process in the middle of work that is paid for."""
        self.quiet = True
        abandon(self._stream)
