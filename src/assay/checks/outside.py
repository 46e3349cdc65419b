"""Tests and examples that are judged outside.

A driver in the sandbox evaluates the calls and sends what they gave; what they should give never
enters the sandbox. Whatever hostile code does there, all it can do is to claim a value, and a
claim that happens to be right is a right answer to that call.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.checks.channel import BadChannel, read_messages, text_of
from assay.checks.comparing import holds
from assay.checks.evidence import describe_ending, ended_well, of_run, outcome_of
from assay.checks.examples import Comparison, Relation
from assay.checks.groups import Group
from assay.checks.naming import PlacedSolution
from assay.checks.rig import Rig
from assay.checks.values import cut, show
from assay.domain.verdict import CheckName, Failure, Judged, Outcome, Verdict
from assay.sandbox.protocol import Run


@dataclass
class _Answers:
    """What came of the calls, as far as it can be believed."""

    results: list[Failure | None] = field(default_factory=list)
    """In the calls' order; None where it passed."""
    missing: list[str] = field(default_factory=list)
    problem: str = ""
    """Why nothing after the last result counts."""
    ended: bool = False


async def judge_outside(
    rig: Rig, check: CheckName, placed: PlacedSolution, groups: Sequence[Group]
) -> Verdict:
    """Run the calls of all groups in one process, and compare their results here."""
    plan = {
        "module": placed.module,
        "groups": [
            {"setup": group.setup, "calls": [one.call for one in group.comparisons]}
            for group in groups
        ],
    }
    support = {"calls.json": json.dumps(plan).encode()}
    run, job = await rig.run_driver("call_solution.py", placed.files, support)
    comparisons = [one for group in groups for one in group.comparisons]
    labels = [_label(group, one) for group in groups for one in group.comparisons]
    answers = _read_answers(run, comparisons, labels)
    outcome = outcome_of(run)
    problem = answers.problem
    if not problem and not (answers.ended and ended_well(run)):
        problem = describe_ending(run)
    failures = [failure for failure in answers.results if failure is not None]
    passed = len(answers.results) - len(failures)
    for comparison, label in list(zip(comparisons, labels, strict=True))[len(answers.results) :]:
        failures.append(Failure(test=label, expected=cut(comparison.wanted), message=problem))
    missing = tuple(name for name in dict.fromkeys(answers.missing) if name not in rig.own_modules)
    if outcome in {Outcome.PASSED, Outcome.FAILED}:
        whole = not failures and not problem
        outcome = Outcome.PASSED if whole else Outcome.FAILED
        if missing and len(answers.missing) >= len(failures):
            outcome = Outcome.COULD_NOT_RUN
    summary = f"{passed} of {len(comparisons)} passed"
    if missing:
        summary += f"; no module named {', '.join(missing)}"
    elif problem:
        summary += f"; {problem}"
    evidence = of_run(
        run,
        job,
        summary=summary,
        total=len(comparisons),
        passed=passed,
        compared=passed,
        failures=tuple(failures),
        missing=missing,
    )
    return Verdict(check=check, outcome=outcome, judged=Judged.OUTSIDE, evidence=evidence)


def _label(group: Group, comparison: Comparison) -> str:
    text = cut(comparison.text)
    return f"{group.name}: {text}" if group.name else text


def _read_answers(run: Run, comparisons: Sequence[Comparison], labels: Sequence[str]) -> _Answers:
    """Read the driver's messages; at the first that is out of order, nothing is believed.

    The driver sends `begin` and an answer for each call, then `end`. Whatever else comes was
    written by the solution, so every result before it may be its work too.
    """
    answers = _Answers()
    begun = False
    try:
        for message in read_messages(run):
            number = len(answers.results)
            whole = number == len(comparisons) or bool(answers.problem)
            if answers.ended:
                raise BadChannel("there is a message after the last")
            if message == {"end": True} and whole:
                answers.ended = True
            elif whole:
                raise BadChannel("there are more answers than calls")
            elif begun and message.get("id") == number:
                answers.results.append(
                    _judge(comparisons[number], labels[number], message, answers)
                )
                begun = False
            elif not begun and message == {"begin": number}:
                begun = True
            elif not begun and not number and "import" in message:
                _read_import_error(answers, message["import"])
            else:
                raise BadChannel("the answers are out of order")
    except BadChannel as error:
        return _Answers(problem=f"the solution wrote to the result channel itself: {error}")
    return answers


def _read_import_error(answers: _Answers, described: object) -> None:
    error = described if isinstance(described, dict) else {}
    answers.problem = f"the solution could not be imported: {_say(error)}"
    if missing := text_of(error, "missing"):
        answers.missing.append(missing.split(".")[0])


def _judge(
    comparison: Comparison, label: str, message: dict[str, Any], answers: _Answers
) -> Failure | None:
    expected = cut(comparison.wanted)
    if "value" in message:
        wire = message["value"]
        if holds(comparison, wire):
            return None
        return Failure(test=label, expected=expected, got=show(wire))
    # An import or constant of the tests that failed is never the error that a test waits for.
    in_setup = "setup" in message
    error = message["setup"] if in_setup else message.get("error")
    if not isinstance(error, dict):
        raise BadChannel("an answer holds neither value nor error")
    kinds = error.get("kinds")
    names = [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else []
    raises = comparison.relation is Relation.RAISES and not in_setup
    wanted = comparison.expected if raises else ()
    if isinstance(wanted, tuple) and set(names) & set(wanted):
        return None
    if missing := text_of(error, "missing"):
        answers.missing.append(missing.split(".")[0])
    return Failure(test=label, expected=expected, message=_say(error))


def _say(error: dict[str, Any]) -> str:
    kinds = error.get("kinds")
    kind = kinds[0] if isinstance(kinds, list) and kinds and isinstance(kinds[0], str) else "error"
    message = text_of(error, "message")
    return cut(f"{kind}: {message}" if message else kind)
