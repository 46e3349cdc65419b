"""A model whose every call goes on a tape."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from assay.domain.message import Prompt, Reply
from assay.errors import AssayError, OutputError, TapeError
from assay.models.model import Model, OnProgress, usage_of
from assay.models.tape.format import Call, Ending, Head, to_line
from assay.models.tape.secrets import Secrets
from assay.models.wrapped import WrappedModel


class RecordingModel(WrappedModel):
    """Asks another model, and writes down what was asked and what came. It is a `Model` itself.

    A call is on the disk before its reply is used, so that what a killed session has recorded can
    be played. A call that is stopped while it runs leaves nothing.
    """

    def __init__(self, model: Model, path: Path, secrets: Secrets) -> None:
        """Record `model`. The file is made at the first call, and no other is ever overwritten.

        Args:
            model: Who is asked.
            path: The tape's file.
            secrets: What is replaced by a mark on the tape, and only there.
        """
        super().__init__(model)
        self._path = path
        self._secrets = secrets
        self._file: BinaryIO | None = None
        self.failure: OutputError | None = None
        """Why the tape ends before the session does, if so: a reply is worth more than a tape."""

    async def complete(self, prompt: Prompt, on_progress: OnProgress) -> Reply:
        """See `Model.complete`; tries that are made again come to one call on the tape.

        Raises:
            TapeError: The tape cannot be begun; nothing was asked then.
        """
        if self._file is None:
            self._file = self._begin()
        hidden = self._secrets.hide_in(prompt)
        try:
            reply = await self._model.complete(prompt, on_progress)
        except AssayError as error:
            said = self._secrets.hide_in_error(error.message)
            ending = Ending(kind=error.kind, message=said, usage=usage_of(error))
            self._add(Call(prompt=hidden, error=ending))
            raise
        kept = reply.model_copy(update={"text": self._secrets.hide(reply.text)})
        self._add(Call(prompt=hidden, reply=kept))
        return reply

    async def aclose(self) -> None:
        """See `Model.aclose`."""
        if self._file is not None:
            with suppress(OSError):  # what could not be written has been noted
                self._file.close()
        await super().aclose()

    def _begin(self) -> BinaryIO:
        check_free(self._path)
        head = Head(
            assay=version("assay"),
            model=self.name,
            context_tokens=self.context_tokens,
            is_embedded=self.is_embedded,
        )
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            file = os.fdopen(os.open(self._path, flags, 0o600), "wb")
            try:
                _write(file, to_line(head))
                _sync(self._path.parent)
            except OSError:
                # A tape without a head would be in the way of the next try.
                with suppress(OSError):
                    file.close()
                self._path.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise TapeError(
                f"The tape {self._path} cannot be written ({error.strerror}). "
                "Name another file with --record."
            ) from error
        return file

    def _add(self, call: Call) -> None:
        if self._file is None or self.failure is not None:
            return
        try:
            _write(self._file, to_line(call))
        except OSError as error:
            self.failure = OutputError(
                f"The tape {self._path} could not be written to its end ({error.strerror}). "
                "Make room on its disk and record again; the session itself is kept."
            )


def check_free(path: Path) -> None:
    """Find out before anything is spent whether a tape can be made at `path`.

    Raises:
        TapeError: Something is there already, or the folder cannot be written to.
    """
    if os.path.lexists(path):
        raise TapeError(
            f"{path} is there already, and a tape is never overwritten. "
            "Remove it, or name another file with --record."
        )
    if not path.parent.is_dir():
        raise TapeError(f"There is no folder {path.parent} for the tape. Make it first.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise TapeError(
            f"The folder {path.parent} cannot be written to. Name another file with --record."
        )


def _sync(folder: Path) -> None:
    """Wait until the folder's entries are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(file: BinaryIO, line: bytes) -> None:
    file.write(line)
    file.flush()
    os.fsync(file.fileno())
