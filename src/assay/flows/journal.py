"""What a session had recorded before it was cut off: none of it happens a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from pydantic import TypeAdapter

from assay.domain.event import (
    CheckEnded,
    Event,
    Happening,
    SessionResumed,
    SessionStarted,
    SolutionRead,
)
from assay.domain.solution import Solution
from assay.domain.verdict import CheckName, Verdict
from assay.store.json_text import to_json

_HAPPENING: TypeAdapter[Happening] = TypeAdapter(Happening)

ANEW = {
    "text",
    "prompt_progress",
    "retrying",
    "check_progress",
    "session_resumed",
    "session_stopped",
    "session_failed",
}
"""Kinds that belong to one process's work on the session, and come again with the next one's."""


class Journal:
    """Remembers events; empty for a session that begins.

    After a checkpoint a step runs again from its beginning. Its replies and verdicts are those of
    before, so what it records is the same too, and is told from what is new by that.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        """Read all events of a session."""
        self._happened: Counter[str] = Counter()
        self._solutions: dict[int, Solution] = {}
        self._verdicts: dict[int, dict[CheckName, Verdict]] = {}
        self.seconds = 0.0
        """How long processes worked on the session, as far as its events tell."""
        begun = last = 0.0
        for event in events:
            if isinstance(event.happening, SessionStarted | SessionResumed):
                self.seconds += max(0.0, last - begun)
                begun = event.time
            last = event.time
            self._remember(event.happening)
        self.seconds += max(0.0, last - begun)

    def recalls(self, happening: Happening) -> bool:
        """Whether this is one of the happenings that are there already; each counts once."""
        if not self._happened:
            return False
        key = to_json(_HAPPENING, happening)
        if not self._happened[key]:
            return False
        self._happened[key] -= 1
        return True

    def verdicts(self, attempt: int, solution: Solution) -> Mapping[CheckName, Verdict]:
        """The verdicts that are there already of this solution of an attempt."""
        return self._verdicts[attempt] if self._solutions.get(attempt) == solution else {}

    def _remember(self, happening: Happening) -> None:
        if happening.kind in ANEW:
            return
        self._happened[to_json(_HAPPENING, happening)] += 1
        match happening:
            case SolutionRead(attempt=attempt, solution=solution):
                self._solutions[attempt] = solution
                self._verdicts[attempt] = {}
            case CheckEnded(attempt=attempt, verdict=verdict):
                self._verdicts.setdefault(attempt, {})[verdict.check] = verdict
