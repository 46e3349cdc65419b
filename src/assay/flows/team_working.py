"""The team's work on a step: the Programmer writes, it is run, the Tester writes tests for it."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from assay.agents.brief import Assignment
from assay.agents.critic import Critic
from assay.agents.tester import Tester
from assay.checks.mutation import stub_of
from assay.checks.suites import SuiteReport
from assay.checks.written_tests import extract_tests
from assay.domain.answer import Attempt
from assay.domain.event import AgentSpoke, SuiteTried
from assay.domain.judgement import all_passed
from assay.domain.reach import reaches_out
from assay.domain.solution import Solution
from assay.domain.task import TestFile
from assay.domain.team import Suite
from assay.domain.verdict import CheckName
from assay.errors import BadInput
from assay.flows.context import FlowContext
from assay.flows.state import State, attempts_of, failures_of
from assay.flows.steps import write
from assay.flows.team_state import TeamState, draft_of

SUITES = 2
"""Test files that are asked for in a step: one, and another where it is thrown away."""


async def write_step(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Let the Programmer write the current step, with what failed in it so far."""
    context, team = runtime.context, TeamState.of(state)
    attempts = attempts_of(state)
    of_step = attempts[len(attempts) - team.tries :]
    failed = failures_of(of_step, hide_tests=context.task.hide_tests)
    assignment = None
    if team.plan.is_divided:
        present = team.present(state)
        assignment = Assignment(plan=team.plan, number=team.step, present=present)
    reflection = ""
    if failed and context.task.reflect and context.has("critic"):
        reflection = await Critic(context.brief, context.ask).reflect(failed[-1])
    attempt = await write(context, len(attempts) + 1, failed, reflection, assignment)
    if attempt.solution is not None and attempt.solution.prefix:
        await context.record(AgentSpoke(role="programmer", text=attempt.solution.prefix))
    return {
        "draft": attempt.model_dump(mode="json"),
        **team.update(tries=team.tries + 1),
    }


async def check(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Run the step's checks on what was written."""
    attempt = await checked(draft_of(state), runtime.context, TeamState.of(state))
    return {"draft": attempt.model_dump(mode="json")}


async def checked(attempt: Attempt, context: FlowContext, team: TeamState) -> Attempt:
    """An attempt with all verdicts; those that it has already are not made again."""
    if attempt.solution is None or attempt.solution.is_prose:
        return attempt
    verdicts = await context.check(
        attempt.number,
        attempt.solution,
        generated=team.record.tests,
        known=attempt.verdicts,
        of_step=not team.is_last_step,
    )
    return attempt.model_copy(update={"verdicts": verdicts})


async def checked_anew(attempt: Attempt, context: FlowContext, team: TeamState) -> Attempt:
    """An attempt whose generated tests have changed: they alone are run once more."""
    kept = tuple(one for one in attempt.verdicts if one.check is not CheckName.GENERATED_TESTS)
    return await checked(attempt.model_copy(update={"verdicts": kept}), context, team)


def wants_tests(state: State, context: FlowContext) -> bool:
    """Whether it is the Tester's turn: once a step, on code that passes what there is."""
    attempt, team = draft_of(state), TeamState.of(state)
    if attempt.solution is None or attempt.solution.language != "python":
        return False
    return (
        context.has("tester")
        and team.tested < team.step
        and all_passed(attempt.verdicts)
        and not (context.brief.wants_program or context.brief.wants_tests)
        and bool(interface_of(attempt.solution))
    )


async def test(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Let the Tester write tests for the step, find out what they are worth, and run them."""
    context, team, attempt = runtime.context, TeamState.of(state), draft_of(state)
    tried: list[Suite] = []
    rejected = ""
    for number in range(1, SUITES + 1):
        suite = await _try(context, team, attempt, rejected, number)
        tried.append(suite)
        await context.record(SuiteTried(suite=suite))
        if suite.kept:
            break
        rejected = suite.reason
    suites = (*team.record.suites, *tried)
    changed = team.update({"suites": suites}, tested=team.step)
    if tried[-1].kept:
        attempt = await checked_anew(attempt, context, TeamState.model_validate(changed["team"]))
    return {"draft": attempt.model_dump(mode="json"), **changed}


async def _try(
    context: FlowContext, team: TeamState, attempt: Attempt, rejected: str, number: int
) -> Suite:
    """One test file of the Tester's, kept or not."""
    solution = attempt.solution
    if solution is None:  # wants_tests has seen to it
        raise BadInput("There is no code to write tests for.")
    step = team.plan.steps[team.step - 1]
    tester = Tester(context.brief, context.ask)
    source = await tester.write(
        attempt.number,
        step,
        interface_of(solution),
        plays_service=reaches_out(solution),
        rejected=rejected,
    )
    name = f"test_step_{team.step}.py" if number == 1 else f"test_step_{team.step}_{number}.py"
    cleaned = extract_tests(source, solution) if source else ""
    file = TestFile(name=name, source=cleaned)
    if not cleaned:
        reason = "There is no test in it that could be run."
        return Suite(step=team.step, file=file, kept=False, reason=reason)
    return as_suite(team.step, file, await context.try_suite(solution, file))


def as_suite(step: int, file: TestFile, report: SuiteReport) -> Suite:
    """What a trial of tests has shown."""
    return Suite(
        step=step,
        file=file,
        kept=report.kept,
        reason=report.reason,
        tests=report.total,
        mutants=report.mutants,
        killed=report.killed,
    )


def interface_of(solution: Solution) -> str:
    """A Python solution's definitions without their bodies; empty where it has none."""
    stubs = stub_of(solution).files
    if len(stubs) == 1:
        return stubs[0].source
    return "\n\n".join(f"# {file.path}\n{file.source}" for file in stubs)
