"""What a test driver reported, checked for being whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.checks.channel import BadChannel, read_messages, text_of
from assay.checks.evidence import cut
from assay.domain.task import TestFile
from assay.domain.verdict import Failure
from assay.sandbox.protocol import Run

_LOST, _TOO_MANY_FILES = "PeerEnded: ", "TooManyFiles: "
"""How the link names what happened."""


class KnownTests(Protocol):
    """The tests that stand in a file."""

    @property
    def file(self) -> TestFile:
        """The file itself."""
        ...

    @property
    def tests(self) -> Sequence[str]:
        """Their names; `line 3` for a statement without one."""
        ...


@dataclass
class Reports:
    """The tests of one file as far as they were heard of."""

    tests: KnownTests
    explain: Callable[[str], str] = str
    """Says what an error's message means, where that can be said more plainly."""
    passed: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Reasons by the tests' names."""
    failures: list[Failure] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Modules that were not found, one for each failure that this explains."""
    problem: str = ""
    """Why tests were not run."""
    timed_out: str = ""
    """What was running when the time was used up."""
    compared: int = 0
    handles_compared: int = 0
    vacuous: dict[str, str] = field(default_factory=dict)
    """Tests that asserted nothing where the solution may have decided that, and where."""
    lost: bool = False
    """Whether the solution's process ended while tests asked it."""
    too_many_files: str = ""
    """Why tests and solution could not be given each other's files."""
    ended: bool = False
    lacking: str = ""
    """The module for whose lack the tests were stopped."""
    running: str = ""
    """The test that had begun and not ended."""
    heard: set[str] = field(default_factory=set)
    """Names of all tests that were reported."""

    @classmethod
    def read(
        cls, tests: KnownTests, run: Run, nonce: str, explain: Callable[[str], str] = str
    ) -> Reports:
        """Take in all messages of a run; where one is not our driver's, none of them counts."""
        reports = cls(tests, explain)
        try:
            for message in read_messages(run):
                if message.get("nonce") != nonce or reports.ended:
                    raise BadChannel("a message does not come from our driver")
                reports._take(message)
        except BadChannel as error:
            problem = f"the solution wrote to the result channel itself: {error}"
            return cls(tests, problem=problem)
        return reports

    @property
    def unheard(self) -> list[str]:
        """Names of the tests that stand in the file and were not heard of."""
        heard = set(map(_without_parameters, self.heard))
        unheard = [name for name in self.tests.tests if name not in heard]
        if _without_parameters(self.running) in heard:  # one case of many, that had begun
            unheard.append(self.running)
        return unheard

    @property
    def all_missing(self) -> list[str]:
        """Modules that were not found, one for each test that did not pass or run for that."""
        if not self.lacking:
            return self.missing
        return self.missing + [self.lacking] * max(1, len(self.unheard))

    def all_failures(self, problem: str) -> list[Failure]:
        """Every test that did not pass; those that were not heard of have failed.

        Args:
            problem: Why not all of them came to their end. It is what is said of those that lost
                the solution, too: its own process tells more than they can.
        """
        failures = [
            failure.model_copy(update={"message": problem})
            if failure.message.startswith(_LOST)
            else failure
            for failure in self.failures
        ]
        lines = self.tests.file.source.splitlines()
        running = _without_parameters(self.running)
        for name in self.unheard:
            message = problem or "it was not run"
            if running and name not in (running, self.running):
                message = f"not run after {_say_test(self.running, '', lines)}"
            failures.append(Failure(test=_say_test(name, "", lines), message=message))
        return failures

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("end") is True:
            self.ended = True
            self.compared = _count(message, "compared")
            self.handles_compared = _count(message, "handles_compared")
            self._take_vacuous(message.get("vacuous"))
        elif "begin" in message:
            self.running = text_of(message, "begin")
        elif "timed_out" in message:
            self.timed_out = text_of(message, "timed_out")
        elif "all_skipped" in message:
            reason = text_of(message, "all_skipped")
            self.skipped = dict.fromkeys(self.tests.tests, reason)
            self.heard.update(self.skipped)
        elif "unimportable" in message:
            self._stop("the solution could not be imported: ", message["unimportable"])
        elif "broken" in message:
            self._stop("", message["broken"])
        elif test := text_of(message, "test"):
            self._take_test(test, message)

    def _take_test(self, test: str, message: dict[str, Any]) -> None:
        self.running = ""
        self.heard.add(test)
        if message.get("passed") is True:
            self.passed.append(test)
        elif "skipped" in message:
            self.skipped[test] = text_of(message, "skipped")
            if message.get("decided") is True:
                name = _without_parameters(test)
                self.vacuous[name] = f"{name}, which was skipped"
        else:
            if missing := _missing(message):
                self.missing.append(missing)
            said = text_of(message, "message")
            self.lost |= said.startswith(_LOST)
            if said.startswith(_TOO_MANY_FILES):
                self.too_many_files = said.removeprefix(_TOO_MANY_FILES)
            self.failures.append(
                Failure(
                    test=_say_test(test, text_of(message, "call"), ()),
                    where=cut(text_of(message, "where")),
                    expected=cut(text_of(message, "expected")),
                    got=cut(text_of(message, "got")),
                    message=self.explain(said),
                )
            )

    def _take_vacuous(self, found: object) -> None:
        """Take tests with a line in which they asserted nothing, as far as they passed."""
        passed = {"", *map(_without_parameters, self.passed)}
        for entry in found if isinstance(found, list) else ():
            match entry:
                case [str(test), int(line)] if test in passed:
                    is_statement = not test or test.startswith("line ")
                    where = f"line {line}"
                    self.vacuous[test] = where if is_statement else f"{test} ({where})"

    def _stop(self, words: str, described: object) -> None:
        error = described if isinstance(described, dict) else {}
        self.problem = cut(words + self.explain(text_of(error, "message")))
        self.lacking = _missing(error)
        self.lost |= text_of(error, "message").startswith(_LOST)


def _missing(message: dict[str, Any]) -> str:
    """The top-level module for whose lack something failed; empty for any other reason."""
    return text_of(message, "missing").split(".")[0]


def _without_parameters(name: str) -> str:
    """`test_it` for `test_it[1-2]`."""
    return name.partition("[")[0] if name.endswith("]") else name


def _say_test(name: str, call: str, lines: Sequence[str]) -> str:
    """A test under what it calls, as the user wrote it; its name too where it has one."""
    word, _, number = name.partition(" ")
    if word != "line" or not number.isdigit():
        return cut(f"{name}: {call}" if call else name)
    if not call and 0 < int(number) <= len(lines):
        call = lines[int(number) - 1].strip().removeprefix("assert ")
    return cut(call or name)


def _count(message: dict[str, Any], key: str) -> int:
    value = message.get(key)
    return value if isinstance(value, int) and value > 0 else 0
