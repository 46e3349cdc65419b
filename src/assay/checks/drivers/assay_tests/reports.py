"""What our drivers tell Assay over the channel.

What they use later is bound here, before any code of a solution can replace it.
"""

from __future__ import annotations

import json
import os
import reprlib
import sys
import traceback
import types
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable

MAX_TEXT = 2_000
"""Characters of one text."""
MAX_DETAILED = 300
"""Failures that are told in full; of more, only that they failed."""
_MAX_WHOLE = 10_000
"""Parts of a value whose repr is made whole. A list of lists that are each other has too many for
any time limit, and no clock of this process runs while C code makes its repr."""

_dumps = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
_write = os.write
_exit = os._exit
_lock = allocate_lock
_start = start_new_thread
_briefly = reprlib.repr


class Reporter:
    """Sends messages, each an object of plain JSON on a line; safe to use from threads."""

    def __init__(self, nonce: str = "") -> None:
        self._number = int(os.environ.pop("ASSAY_CHANNEL"))
        os.set_inheritable(self._number, False)
        self._marks = {"nonce": nonce} if nonce else {}
        self._sending = _lock()
        self._failures = 0
        self._held = b""
        self.current = ""
        """The test that is running."""
        self.told: Callable[[], int] = lambda: 0
        """How often the solution has told the tests anything so far."""
        self.told_at_start = -1
        """How often until the first test began, which may have decided which tests there are."""
        self._told_before = 0
        self._told_to_others = 0

    def send(self, **message: object) -> None:
        """Send one message; blocks while the channel is full."""
        self._send_with_held(self._line(message))

    def flush(self) -> None:
        """Send what was held, before anything runs that may end this process."""
        self._send_with_held(b"")

    def _send_with_held(self, line: bytes) -> None:
        with self._sending:
            data, self._held = self._held + line, b""
            while data:
                data = data[_write(self._number, data) :]

    def _line(self, message: dict[str, object]) -> bytes:
        return (_dumps({**message, **self._marks}) + "\n").encode("ascii")

    def begin(self, test: str) -> None:
        """Say that a test starts."""
        self.current = test
        self._told_before = self.told()
        if self.told_at_start < 0:
            self.told_at_start = self._told_before
        self.send(begin=test)

    def passed(self, test: str) -> None:
        """Say that a test passed, together with what is said next: there may be many."""
        self.flush()
        self._held = self._line({"test": test, "passed": True})
        self._end()

    def skipped(self, test: str, reason: str, *, failed: bool = False) -> None:
        """Say that a test skipped itself, or `failed` as it was expected to."""
        told = self._told_before if failed else self.told()
        # What the solution told before any test began may have set the test's marks.
        self.send(test=test, skipped=clip(reason), decided=told > self._told_to_others)
        self._end()

    def failed(self, test: str, **details: str) -> None:
        """Say that a test failed, and how."""
        self._failures += 1
        if self._failures > MAX_DETAILED:
            details = {}
        self.send(test=test, passed=False, **details)
        self._end()

    def _end(self) -> None:
        told = self.told()
        self._told_to_others += told - self._told_before
        self._told_before = told
        self.current = ""

    def stop_after(self, seconds: float, doing: str) -> Callable[[], None]:
        """End this process that many seconds from now unless the returned function is called.

        What it was doing then, or the test that was running, is reported before.
        """
        waiting = _lock()
        waiting.acquire()

        def watch() -> None:
            if not waiting.acquire(True, seconds):
                self.send(timed_out=self.current or doing)
                _exit(1)

        _start(watch, ())
        return waiting.release


def shown(value: object) -> str:
    """The value's repr, cut to a bearable length."""
    try:
        text = repr(value) if _is_small(value) else _briefly(value)
    except BaseException as error:  # noqa: BLE001 (a hostile value may raise SystemExit)
        text = f"<repr raised {type(error).__name__}>"
    return clip(text)


def _is_small(value: object) -> bool:
    """Whether a value has few parts, each counted as often as its repr would show it."""
    waiting, left = [value], _MAX_WHOLE
    while waiting and left > 0:
        part = waiting.pop()
        left -= 1
        if isinstance(part, dict):
            left -= 2 * dict.__len__(part)
            items = [*dict.keys(part), *dict.values(part)] if left > 0 else []
        elif isinstance(part, (list, tuple, set, frozenset)):
            left -= len(part)
            items = list(part) if left > 0 else []
        else:
            continue
        waiting += [item for item in items if isinstance(item, (dict, list, tuple, set, frozenset))]
    return left > 0


def describe(error: BaseException) -> dict[str, str]:
    """An error as `message`, and as `missing` the module for whose lack an import failed."""
    kind, message = type(error).__name__, message_of(error)
    missing = error.name if isinstance(error, ModuleNotFoundError) else ""
    return {
        "message": clip(f"{kind}: {message}" if message else kind),
        "missing": clip(missing) if isinstance(missing, str) else "",
    }


def message_of(error: BaseException) -> str:
    """What an error says, as far as it can be had."""
    try:
        return clip(str(error))
    except BaseException:  # noqa: BLE001 (a hostile error may raise SystemExit)
        return ""


def clip(text: str) -> str:
    """`text` as a real string of bearable length."""
    return str.__getitem__(str.__str__(text), slice(MAX_TEXT))


def frames_in(error: BaseException, path: str) -> list[tuple[types.FrameType, int]]:
    """Frames of the file at `path` through which an error came, outermost first, with lines."""
    frames = traceback.walk_tb(error.__traceback__)
    return [(frame, number) for frame, number in frames if frame.f_code.co_filename == path]


def leave() -> None:
    """End this process at once, with status 0, past all exit hooks."""
    sys.stdout.flush()
    _exit(0)
