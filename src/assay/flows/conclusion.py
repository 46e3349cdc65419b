"""What a session's attempts come to: the answer, and the receipt that proves it."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from assay.domain.advice import advise
from assay.domain.answer import Answer, Attempt, ErrorInfo, Status
from assay.domain.judgement import Judgement, best_attempt, judge_answer
from assay.domain.receipt import Environment, Receipt
from assay.domain.solution import Solution
from assay.domain.task import Task
from assay.domain.team import TeamRecord
from assay.domain.usage import Usage
from assay.domain.verdict import CheckName, Verdict
from assay.errors import AssayError, NoCode
from assay.flows.prepare import all_examples
from assay.store.receipts import hashes_of

_PROSE = Judgement(
    status=Status.ANSWERED,
    headline="Answered in words: there was nothing to run.",
    has_required_evidence=True,
)


def conclude(
    task: Task,
    attempts: Sequence[Attempt],
    error: AssayError | None,
    usage: Usage,
    team: TeamRecord | None = None,
) -> Answer:
    """Make the answer of the best attempt.

    Args:
        task: What was asked.
        attempts: All that were made.
        error: What ended the session early, if anything did.
        usage: What was spent.
        team: What a team did beside that.
    """
    best = best_attempt(attempts)
    if best is None or best.solution is None:
        return no_answer(describe(error or _nothing_read(attempts)), attempts, usage)
    judgement = _PROSE
    if not best.solution.is_prose:
        judgement = judge_answer(
            best.solution,
            best.verdicts,
            require=task.require,
            trust_in_process=task.trust_in_process,
            team=team,
        )
    return Answer(
        status=judgement.status,
        headline=judgement.headline,
        has_required_evidence=judgement.has_required_evidence,
        solution=best.solution,
        best=best.number,
        attempts=tuple(attempts),
        usage=usage,
        advice=_advice(attempts[-1]),
        error=describe(error) if error else None,
        team=team,
    )


def describe(error: AssayError) -> ErrorInfo:
    """An error as data."""
    return ErrorInfo(kind=error.kind, message=error.message)


def make_receipt(
    *,
    session: str,
    flow: str,
    model: str,
    task: Task,
    answer: Answer,
    solution: Solution,
    verdicts: Sequence[Verdict],
    environment: Environment,
) -> Receipt:
    """Put everything together that is needed to run the checks again."""
    return Receipt(
        session=session,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        instructions=task.instructions,
        model=model,
        flow=flow,
        status=answer.status,
        headline=answer.headline,
        solution=solution,
        tests=task.tests,
        examples=all_examples(task, solution.language),
        attachments=task.attachments,
        delivers_tests=any(one.check is CheckName.MUTANTS for one in verdicts),
        test_command=task.test_command,
        require=task.require,
        hide_tests=task.hide_tests,
        trust_in_process=task.trust_in_process,
        grants=task.grants,
        environment=environment,
        # A measurement is in the team's record; its times come out otherwise each time.
        verdicts=tuple(one for one in verdicts if one.check is not CheckName.BENCHMARK),
        hashes=hashes_of(
            solution, task.tests, task.attachments, answer.team.tests if answer.team else ()
        ),
        usage=answer.usage,
        team=answer.team,
    )


def no_answer(error: ErrorInfo, attempts: Sequence[Attempt], usage: Usage) -> Answer:
    """The answer of a session without a solution."""
    return Answer(
        status=Status.FAILED,
        headline=f"No answer. {error.message}",
        has_required_evidence=False,
        attempts=tuple(attempts),
        usage=usage,
        error=error,
    )


def _nothing_read(attempts: Sequence[Attempt]) -> AssayError:
    reasons = [attempt.error.message for attempt in attempts if attempt.error]
    return NoCode(f"No reply could be used. {reasons[-1] if reasons else ''}".strip())


def _advice(last: Attempt) -> tuple[str, ...]:
    if last.solution is None:
        return ()
    return tuple(advise(last.verdicts, last.solution.language))
