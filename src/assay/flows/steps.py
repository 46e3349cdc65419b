"""The steps that flows share: nodes of a graph, functions of its state and context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from assay.agents.brief import Assignment, Failed
from assay.agents.critic import Critic
from assay.agents.programmer import Programmer
from assay.checks.shape import called_names, defined_names, set_apart
from assay.domain.answer import Attempt
from assay.domain.event import AttemptEnded, ReplyUnread, SolutionRead
from assay.domain.judgement import all_passed
from assay.domain.solution import Solution
from assay.errors import ReplyError
from assay.flows.conclusion import describe
from assay.flows.context import FlowContext
from assay.flows.state import State, attempts_of, failures_of


async def generate(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Write the next solution; a reply that cannot be read ends the attempt."""
    context = runtime.context
    failed = failures_of(attempts_of(state), hide_tests=context.task.hide_tests)
    attempt = await write(context, len(state["attempts"]) + 1, failed, state["reflection"])
    return {"draft": attempt.model_dump(mode="json")}


async def write(
    context: FlowContext,
    number: int,
    failed: Sequence[Failed],
    reflection: str = "",
    assignment: Assignment | None = None,
) -> Attempt:
    """Have attempt number `number` written, and read; without a solution where it cannot be."""
    programmer = Programmer(context.brief, context.ask)
    reply = await programmer.write(number, failed, reflection, assignment)
    attempt = Attempt(number=number, step=assignment.number if assignment else 1, usage=reply.usage)
    try:
        solution = without_extras(programmer.read(reply), context)
    except ReplyError as error:
        info = describe(error)
        await context.record(ReplyUnread(attempt=number, error=info))
        return attempt.model_copy(update={"error": info})
    await context.record(SolutionRead(attempt=number, solution=solution))
    return attempt.model_copy(update={"solution": solution})


async def check(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Run the checks on the draft and close the attempt."""
    context = runtime.context
    attempt = Attempt.model_validate(state["draft"])
    if attempt.solution is not None and not attempt.solution.is_prose:
        verdicts = await context.check(attempt.number, attempt.solution)
        attempt = attempt.model_copy(update={"verdicts": verdicts})
    await context.record(AttemptEnded(attempt=attempt.number, passed=has_succeeded(attempt)))
    attempts = [*state["attempts"], attempt.model_dump(mode="json")]
    return {"attempts": attempts, "draft": None, "reflection": ""}


async def reflect(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Let the critic say why the last attempt failed."""
    context = runtime.context
    *earlier, last = state["attempts"]
    failed = failures_of(attempts_of(state), hide_tests=context.task.hide_tests)
    reflection = await Critic(context.brief, context.ask).reflect(failed[-1])
    return {"attempts": [*earlier, {**last, "reflection": reflection}], "reflection": reflection}


def has_succeeded(attempt: Attempt) -> bool:
    """Whether nothing is left to correct: prose, or a solution whose every check passed."""
    if attempt.solution is None:
        return False
    return attempt.solution.is_prose or all_passed(attempt.verdicts)


def is_over(state: State, context: FlowContext) -> bool:
    """Whether no further attempt is to be made."""
    attempts = attempts_of(state)
    if has_succeeded(attempts[-1]) or len(attempts) >= context.task.limits.attempts:
        return True
    return misses_the_same(attempts)


def misses_the_same(attempts: Sequence[Attempt]) -> bool:
    """Whether two answers in a row needed what cannot be had: a third would need it too."""
    if len(attempts) < 2:
        return False
    before, last = ({*_missing(attempt)} for attempt in attempts[-2:])
    return bool(before & last)


def _missing(attempt: Attempt) -> list[str]:
    return [name for verdict in attempt.verdicts for name in verdict.evidence.missing]


def without_extras(solution: Solution, context: FlowContext) -> Solution:
    """Keep apart what the model added beside a function that was asked for."""
    if solution.is_prose or solution.language != "python" or context.brief.wants_program:
        return solution
    # The brief's tests, not the task's: of hidden ones, names too stay unknown to a model.
    names = called_names(context.brief.tests, context.brief.examples)
    if context.brief.wants_definitions:
        names |= defined_names(solution.main.source)
    return set_apart(solution, names) if names else solution
