"""File descriptors that a child process is handed, closed here when the block ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


class Descriptors:
    """Owns the descriptors of one launch: those for the child, and our ends of its pipes."""

    def __init__(self) -> None:
        self._for_child: list[int] = []
        self._passed: list[int] = []
        self._ours: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all that was not closed before."""
        self.close_for_child()
        while self._ours:
            with suppress(OSError):
                os.close(self._ours.pop())

    @property
    def for_child(self) -> tuple[int, ...]:
        """What the child inherits under its number."""
        return tuple(self._passed)

    def close_for_child(self) -> None:
        """Close the child's ends here, once it has them."""
        self._passed.clear()
        while self._for_child:
            os.close(self._for_child.pop())

    def lend(self, descriptor: int) -> None:
        """Let the child inherit `descriptor`, which stays another's to close."""
        self._passed.append(descriptor)

    def own(self, descriptor: int) -> int:
        """Take `descriptor` to be closed at the end, and not inherited."""
        self._ours.append(descriptor)
        return descriptor

    def data(self, *contents: bytes) -> int:
        """Make a descriptor that the child can read the contents from, one after the other."""
        descriptor = os.memfd_create("assay", os.MFD_CLOEXEC)
        self._for_child.append(descriptor)
        self._passed.append(descriptor)
        _fill(descriptor, contents)
        return descriptor

    def stdin(self, content: bytes) -> int:
        """Make a descriptor that becomes the child's standard input."""
        descriptor = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self._for_child.append(descriptor)
        _fill(descriptor, [content])
        # The program could keep data in it that no limit of its memory counts.
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
        return descriptor

    def pipe_from_child(self, *, inherited: bool = True) -> tuple[int, int]:
        """Make a pipe; returns our end, not blocking, and the child's.

        Args:
            inherited: False for what becomes the child's stdout or stderr.
        """
        ours, theirs = os.pipe()
        os.set_blocking(ours, False)
        self._ours.append(ours)
        self._for_child.append(theirs)
        if inherited:
            self._passed.append(theirs)
        return ours, theirs

    def pipe_to_child(self) -> tuple[int, int]:
        """Make a pipe; returns our end and the child's."""
        theirs, ours = os.pipe()
        self._ours.append(ours)
        self._for_child.append(theirs)
        self._passed.append(theirs)
        return ours, theirs


def _fill(descriptor: int, contents: Iterable[bytes]) -> None:
    """Write all contents, one after the other, to be read from the beginning."""
    for content in contents:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
