"""What a check showed."""

from __future__ import annotations

from enum import StrEnum

from assay.domain.data import Data


class CheckName(StrEnum):
    """One way to test a solution, in the order in which they run."""

    IMPORTS = "imports"
    EXECUTION = "execution"
    EXAMPLES = "examples"
    TESTS = "tests"
    MUTANTS = "mutants"
    """Tests that were asked for, tried on the attached code and on wrong versions of it."""
    GENERATED_TESTS = "generated_tests"
    BENCHMARK = "benchmark"


class Outcome(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    COULD_NOT_RUN = "could_not_run"
    """A toolchain or package is missing."""
    NOT_RUN = "not_run"
    """An earlier check made it pointless."""


class Judged(StrEnum):
    """Who compared what was expected with what came."""

    OUTSIDE = "outside"
    """A process that the solution's code never enters."""
    IN_PROCESS = "in_process"
    """The solution's own process, which hostile code can deceive."""


class Failure(Data):
    """One test or example that did not pass."""

    test: str
    """The call or the test's name, as the user wrote it."""
    where: str = ""
    """What the names in it held, which tells one case from others: `xs = [6], n = 3`."""
    expected: str = ""
    got: str = ""
    message: str = ""


class Evidence(Data):
    """What a verdict rests on."""

    summary: str = ""
    """One line for a person: `3 of 4 passed`, `ModuleNotFoundError: no module named 'x'`."""
    command: tuple[str, ...] = ()
    exit_status: int | None = None
    signal: str | None = None
    """Name of the signal that ended it, `SIGSEGV` say."""
    stdout: str = ""
    stderr: str = ""
    output_cut: bool = False
    """Whether more was printed than is kept."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int | None = None
    total: int = 0
    """Tests or examples there were; 0 where the check has none."""
    passed: int = 0
    skipped: int = 0
    """Tests that skipped themselves; not among `total`."""
    compared: int = 0
    """Assertions that held on data, outside the solution's process."""
    handles_compared: int = 0
    """Comparisons that the solution's own objects decided: they are no evidence."""
    vacuous: int = 0
    """Tests that asserted nothing, be it in a loop alone, where the solution may decide that."""
    failures: tuple[Failure, ...] = ()
    """The first ones; `failed` says how many there were."""
    missing: tuple[str, ...] = ()
    """Modules, packages or commands that were not found."""

    @property
    def failed(self) -> int:
        """How many did not pass."""
        return max(len(self.failures), self.total - self.passed)


class Verdict(Data):
    """A check's outcome with its evidence."""

    check: CheckName
    outcome: Outcome
    judged: Judged | None = None
    """None for checks that compare nothing (imports, execution)."""
    evidence: Evidence = Evidence()

    @property
    def passed(self) -> bool:
        """Whether the check passed."""
        return self.outcome is Outcome.PASSED
