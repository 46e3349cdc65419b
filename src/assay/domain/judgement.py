"""What may be said of a solution, from its verdicts: status, headline, and which attempt is best.

Pure rules. A headline says the highest evidence that passed, what failed or was not run, and
never more than that.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.domain.answer import Attempt, Status
from assay.domain.choices import Require
from assay.domain.data import Data
from assay.domain.reach import reaches_out
from assay.domain.receipt import Receipt
from assay.domain.solution import Solution
from assay.domain.team import TeamRecord
from assay.domain.verdict import CheckName, Judged, Outcome, Verdict

USERS_CHECKS = (CheckName.TESTS, CheckName.EXAMPLES)
"""The checks that compare with what the user expects."""

_EVIDENCE = (
    *USERS_CHECKS,
    CheckName.MUTANTS,
    CheckName.GENERATED_TESTS,
    CheckName.EXECUTION,
    CheckName.IMPORTS,
)
"""Strongest first."""

_WORDS = {
    Outcome.FAILED: "failed",
    Outcome.TIMED_OUT: "ran out of time",
    Outcome.OUT_OF_MEMORY: "ran out of memory",
    Outcome.COULD_NOT_RUN: "could not run",
    Outcome.NOT_RUN: "not run",
}


class Judgement(Data):
    """What may be said of one set of verdicts."""

    status: Status
    headline: str
    has_required_evidence: bool


def judge(
    verdicts: Sequence[Verdict], *, require: Require | None, trust_in_process: bool = False
) -> Judgement:
    """Judge a solution by its verdicts.

    Args:
        verdicts: One verdict a check.
        require: The evidence that the task wants; None: tests where there are any.
        trust_in_process: Whether tests judged in the solution's own process verify it.
    """
    by_check = {verdict.check: verdict for verdict in verdicts}
    users = [by_check[name] for name in USERS_CHECKS if name in by_check]
    users_passed = bool(users) and all(verdict.passed for verdict in users)
    # Program tests run the program themselves; then there is no other check of its execution.
    # Tests that were asked for are run on the attached code.
    shown = users_passed or _passed(by_check, CheckName.MUTANTS)
    ran = _passed(by_check, CheckName.EXECUTION) or (shown and CheckName.EXECUTION not in by_check)
    wants_tests = bool(users) if require is None else require == "tests"
    return Judgement(
        status=_status(users, users_passed, ran, trust_in_process),
        headline=_headline(by_check, users_passed, ran),
        has_required_evidence=users_passed if wants_tests else ran,
    )


def judge_answer(
    solution: Solution,
    verdicts: Sequence[Verdict],
    *,
    require: Require | None,
    trust_in_process: bool = False,
    team: TeamRecord | None = None,
) -> Judgement:
    """Judge a solution by its verdicts and by what they cannot show.

    Of a plan that is not worked off, nothing may be trusted; of code that talks to a service, no
    run has shown that it can.

    Args:
        solution: What was checked.
        verdicts: One verdict a check.
        require: See `judge`.
        trust_in_process: See `judge`.
        team: What a team did beside that.
    """
    judged = judge(verdicts, require=require, trust_in_process=trust_in_process)
    if team is not None and team.plan is not None and not team.is_done:
        head, rest = judged.headline[0].lower(), judged.headline[1:]
        judged = Judgement(
            status=Status.UNVERIFIED,
            headline=f"Only {team.done} of {len(team.plan.steps)} steps are done; {head}{rest}",
            has_required_evidence=False,
        )
    if reaches_out(solution):
        said = f"{judged.headline} No real service was reached."
        judged = judged.model_copy(update={"headline": said})
    return judged


def is_confirmed(receipt: Receipt, verdicts: Sequence[Verdict]) -> bool:
    """Whether `verdicts`, of running its checks again, show all that `receipt` claims."""
    # A headline may name what differs from run to run, such as seconds: it has to be what is said
    # of the receipt's own verdicts, which have to be those of the run.
    said, found = (
        judge_answer(
            receipt.solution,
            each,
            require=receipt.require,
            trust_in_process=receipt.trust_in_process,
            team=receipt.team,
        )
        for each in (receipt.verdicts, verdicts)
    )
    return (
        [*map(_claim, receipt.verdicts)] == [*map(_claim, verdicts)]
        and receipt.status is found.status
        and receipt.headline == said.headline
    )


def _claim(verdict: Verdict) -> tuple[object, ...]:
    """What a verdict says; if the run was stopped, without how far it had come."""
    claim = (verdict.check, verdict.outcome, verdict.judged)
    if verdict.outcome in {Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY}:
        return claim
    evidence = verdict.evidence
    # How often something was compared may differ where tests draw numbers; whether, does not.
    rests_on = (evidence.compared > 0, evidence.handles_compared > 0, evidence.vacuous > 0)
    return (*claim, evidence.passed, evidence.total, *rests_on)


def all_passed(verdicts: Sequence[Verdict]) -> bool:
    """Whether there were checks and each of them passed: nothing is left to correct."""
    return bool(verdicts) and all(verdict.passed for verdict in verdicts)


def best_attempt(attempts: Sequence[Attempt]) -> Attempt | None:
    """The attempt with the strongest evidence; None without a solution.

    Of equals it is the one that was measured to be better, then that of the later step, then the
    earliest.
    """
    candidates = [attempt for attempt in attempts if attempt.solution is not None]
    return max(candidates, key=_strength, default=None)


def _status(
    users: Sequence[Verdict], users_passed: bool, ran: bool, trust_in_process: bool
) -> Status:
    if users_passed:
        shown = trust_in_process or all(map(_is_evidence, users))
        return Status.VERIFIED if shown else Status.RAN
    return Status.RAN if ran and not users else Status.UNVERIFIED


def _is_evidence(verdict: Verdict) -> bool:
    """Whether a pass rests on comparisons of data alone, which the solution had no part in."""
    return (
        verdict.judged is Judged.OUTSIDE
        and verdict.evidence.compared > 0
        and not verdict.evidence.handles_compared
        and not verdict.evidence.vacuous
    )


def _headline(by_check: dict[CheckName, Verdict], users_passed: bool, ran: bool) -> str:
    passed = [by_check[name] for name in _EVIDENCE if _passed(by_check, name)]
    wanting = [by_check[name] for name in _EVIDENCE if name in by_check]
    wanting = [verdict for verdict in wanting if not verdict.passed]
    if users_passed:
        counts = [_counted(verdict) for verdict in passed if verdict.check in USERS_CHECKS]
        head = f"{' and '.join(counts)} passed, {_judges(passed)}{_reservations(passed)}"
    elif wanting:
        head = "; ".join(_wanting(verdict) for verdict in wanting)
        if passed:
            head += f"; {_best_of(passed)}"
    elif _passed(by_check, CheckName.MUTANTS):
        head = f"the tests: {by_check[CheckName.MUTANTS].evidence.summary}"
    elif _passed(by_check, CheckName.GENERATED_TESTS):
        head = (
            f"{_counted(by_check[CheckName.GENERATED_TESTS])} passed, which a model wrote from the "
            "task; nothing of yours shows yet that it does what was asked"
        )
    elif ran:
        head = "it ran without error; nothing shows yet that it does what was asked"
    else:
        return "Nothing was checked."
    if users_passed and wanting:
        head += "; " + "; ".join(_wanting(verdict) for verdict in wanting)
    return f"{head[0].upper()}{head[1:]}."


def _judges(passed: Sequence[Verdict]) -> str:
    kinds = {verdict.judged for verdict in passed if verdict.check in USERS_CHECKS}
    if kinds == {Judged.OUTSIDE}:
        return "judged outside the solution's process"
    if kinds == {Judged.IN_PROCESS}:
        return "judged in the solution's own process, which hostile code could deceive"
    return "judged partly in the solution's own process, which hostile code could deceive"


def _reservations(passed: Sequence[Verdict]) -> str:
    """What keeps tests that were judged outside from being evidence."""
    outside = [
        verdict.evidence
        for verdict in passed
        if verdict.check in USERS_CHECKS and verdict.judged is Judged.OUTSIDE
    ]
    said = ""
    if decided := sum(evidence.handles_compared for evidence in outside):
        noun = "comparison was" if decided == 1 else "comparisons were"
        said += f"; {decided} {noun} decided by the solution's own objects"
    if vacuous := sum(evidence.vacuous for evidence in outside):
        noun = "test" if vacuous == 1 else "tests"
        said += (
            f"; {vacuous} {noun} asserted nothing, be it in a loop, which the solution may decide"
        )
    if any(not evidence.compared for evidence in outside):
        said += "; nothing was compared that would show what it does"
    return said


def _best_of(passed: Sequence[Verdict]) -> str:
    best = passed[0]
    if best.evidence.total:
        return f"{_counted(best)} passed"
    return "it ran without error" if best.check is CheckName.EXECUTION else "its imports work"


def _counted(verdict: Verdict) -> str:
    noun = verdict.check.value.replace("_", " ")
    if verdict.evidence.total == 1:
        noun = noun.removesuffix("s")
    return f"{verdict.evidence.passed} of {verdict.evidence.total} {noun}"


def _wanting(verdict: Verdict) -> str:
    words = f"{verdict.check.value.replace('_', ' ')} {_WORDS[verdict.outcome]}"
    if verdict.evidence.total and verdict.outcome is not Outcome.NOT_RUN:
        words += f" ({verdict.evidence.passed} of {verdict.evidence.total} passed)"
    elif verdict.evidence.summary and verdict.outcome is not Outcome.NOT_RUN:
        words += f" ({verdict.evidence.summary.rstrip('.')})"
    return words


def _passed(by_check: dict[CheckName, Verdict], name: CheckName) -> bool:
    return name in by_check and by_check[name].passed


def _strength(attempt: Attempt) -> tuple[float, ...]:
    by_check = {verdict.check: verdict for verdict in attempt.verdicts}
    shares = (_share(by_check.get(name)) for name in (*_EVIDENCE, CheckName.BENCHMARK))
    return (*shares, attempt.step)


def _share(verdict: Verdict | None) -> float:
    """1 for a check that passed, the share of its tests where it did not, 0 without any."""
    if verdict is None:
        return 0.0
    if verdict.passed:
        return 1.0
    counted = verdict.evidence
    return 0.99 * counted.passed / counted.total if counted.total else 0.0
