"""The end of the team's work: the Optimizer's proposal, the closing words, the check-in's text."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from assay.agents.check_in import CheckIn
from assay.agents.manager import Manager
from assay.agents.optimizer import Optimizer
from assay.agents.tester import Tester
from assay.checks.shape import can_be_slow
from assay.domain.answer import Attempt
from assay.domain.event import AgentSpoke, AttemptEnded, Optimized, SolutionRead
from assay.domain.judgement import all_passed, best_attempt, judge_answer
from assay.domain.solution import Solution, is_test_path
from assay.domain.team import Optimization
from assay.domain.verdict import Judged
from assay.flows.context import FlowContext
from assay.flows.state import State, attempts_of
from assay.flows.steps import without_extras
from assay.flows.team_state import TeamState
from assay.flows.team_working import checked, interface_of


async def optimize(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Let the Optimizer propose; keep that only if every check passes and it measures better."""
    context, team = runtime.context, TeamState.of(state)
    attempts = attempts_of(state)
    before = attempts[-1]
    solution = before.solution
    if solution is None or not context.has("optimizer") or not _can_gain(before):
        return {}
    number = len(attempts) + 1
    proposal = await Optimizer(context.brief, context.ask).improve(number, solution)
    if proposal is None or _sources(proposal) == _sources(solution):
        return await _note(context, team, number, "The Optimizer saw nothing to gain.")
    proposal = without_extras(proposal, context)
    await context.record(SolutionRead(attempt=number, solution=proposal))
    if proposal.prefix:
        await context.record(AgentSpoke(role="optimizer", text=proposal.prefix))
    attempt = Attempt(number=number, step=before.step, solution=proposal)
    attempt = await checked(attempt, context, team)
    if all_passed(attempt.verdicts):
        optimization, attempt = await _measure(context, solution, attempt)
    else:
        reason = "The proposal failed checks that the former code passes."
        optimization = Optimization(attempt=number, kept=False, reason=reason)
    await context.record(Optimized(optimization=optimization))
    await context.record(AttemptEnded(attempt=number, passed=optimization.kept))
    return {
        "attempts": [*state["attempts"], attempt.model_dump(mode="json")],
        **team.update({"optimization": optimization}),
    }


async def _measure(
    context: FlowContext, before: Solution, attempt: Attempt
) -> tuple[Optimization, Attempt]:
    """Compare a proposal that passes every check with what was there before."""
    number, after = attempt.number, attempt.solution
    tester = Tester(context.brief, context.ask)
    workload = None
    if context.has("tester"):
        workload = await tester.write_workload(number, interface_of(before))
    if workload is None or after is None:
        reason = "There was no input to measure it on."
        return Optimization(attempt=number, kept=False, reason=reason), attempt
    found = await context.compare(before, after, workload)
    verdicts = (*attempt.verdicts, found.to_verdict())
    optimization = Optimization(
        attempt=number,
        kept=found.is_better,
        reason=found.reason,
        seconds_before=found.seconds_before,
        seconds_after=found.seconds_after,
        peak_bytes_before=found.peak_bytes_before,
        peak_bytes_after=found.peak_bytes_after,
        pairs=found.pairs,
    )
    return optimization, attempt.model_copy(update={"verdicts": verdicts})


async def _note(context: FlowContext, team: TeamState, number: int, reason: str) -> dict[str, Any]:
    optimization = Optimization(attempt=number, kept=False, reason=reason)
    await context.record(Optimized(optimization=optimization))
    return team.update({"optimization": optimization})


def _can_gain(attempt: Attempt) -> bool:
    """Whether the code may be slow, and something would show that a faster one is as right."""
    solution = attempt.solution
    if solution is None or solution.language != "python" or is_test_path(solution.main.path):
        return False
    held = any(v.passed and isinstance(v.judged, Judged) for v in attempt.verdicts)
    return held and any(can_be_slow(file.source) for file in solution.files)


def _sources(solution: Solution) -> dict[str, str]:
    return {file.path: file.source.strip() for file in solution.files}


async def close(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Let the Manager say what came of it, and Check-In what is to be checked in."""
    context, team = runtime.context, TeamState.of(state)
    best = best_attempt(attempts_of(state))
    if best is None or best.solution is None or best.solution.is_prose:
        return {}
    judged = judge_answer(
        best.solution,
        best.verdicts,
        require=context.task.require,
        trust_in_process=context.task.trust_in_process,
        team=team.record,
    )
    # What is said of hidden tests may hold what they compare with.
    report = f"Its end: {judged.status if context.task.hide_tests else judged.headline}"
    if team.record.optimization is not None:
        report += f" {team.record.optimization.reason}"
    closing = draft = ""
    if context.has("manager"):
        closing = await Manager(context.brief, context.ask).close(best.number, report)
        await context.record(AgentSpoke(role="manager", text=closing))
    if context.task.check_in and context.has("check_in"):
        draft = await CheckIn(context.brief, context.ask).describe(best.number, best.solution)
        await context.record(AgentSpoke(role="check_in", text=draft))
    return team.update({"closing": closing, "draft": draft})
