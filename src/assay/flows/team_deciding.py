"""Which way the team goes: by rule where there is one way, by the Manager where there are more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from assay.agents.feedback import feedback_on
from assay.agents.manager import Manager
from assay.agents.planner import Planner, whole_task
from assay.domain.answer import Attempt
from assay.domain.event import AgentSpoke, AttemptEnded, Notice, PlanMade, StepEnded
from assay.domain.judgement import USERS_CHECKS
from assay.domain.roles import title_of
from assay.domain.verdict import CheckName, Outcome, Verdict
from assay.flows.context import FlowContext
from assay.flows.state import State, attempts_of
from assay.flows.steps import has_succeeded, misses_the_same
from assay.flows.suspects import without_suspects
from assay.flows.team_state import TeamState, draft_of
from assay.flows.team_working import checked_anew

MAX_REPLANS = 2
SMALL_TASK_WORDS = 60
"""A function or class that is asked for in fewer words is one step, and nobody is asked."""

WAYS = {
    "write": "programmer: writes the code again, knowing what failed",
    "plan": "planner: divides the rest of the work anew, in another way",
    "doubt": "tester: the tests are wrong, not the code; they are taken back",
    "close": "stop: nothing more can be done",
}
_MEANINGS = {way: meaning.split(": ", 1) for way, meaning in WAYS.items()}


async def direct(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Decide whether the task is planned, and begin it as one step if not."""
    context, team = runtime.context, TeamState.of(state)
    brief = context.brief
    small = brief.wants_definitions and len(brief.instructions.split()) <= SMALL_TASK_WORDS
    way = "write"
    if brief.answer != "prose" and not small and context.has("planner"):
        choices = {
            "planner": "the task has several parts: it is divided into steps first",
            "programmer": "the task is small: it is written at once",
        }
        said = "Nothing is written yet. Who begins?"
        chosen = await _ask_manager(context, 0, said, choices, "planner")
        way = "plan" if chosen == "planner" else "write"
    if way == "plan":
        return team.update(way=way)
    made = whole_task(brief)
    await context.record(PlanMade(plan=made))
    return team.update({"plan": made}, way=way)


async def plan(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Let the Planner plan the task, or what is left of it after a step that failed."""
    context, team = runtime.context, TeamState.of(state)
    planner = Planner(context.brief, context.ask)
    attempts = attempts_of(state)
    if not attempts:
        made = await planner.plan(0)
    else:
        failure = feedback_on(attempts[-1], hide_tests=context.task.hide_tests)
        made = await planner.plan(
            attempts[-1].number, earlier=team.plan, done=team.record.done, failure=failure
        )
    await context.record(PlanMade(plan=made, done=team.record.done))
    return team.update({"plan": made}, tries=0)


async def decide(state: State, runtime: Runtime[FlowContext]) -> dict[str, Any]:
    """Close the attempt, and send it on: to the next step, back to somebody, or to the end."""
    context, team, attempt = runtime.context, TeamState.of(state), draft_of(state)
    attempts = attempts_of(state)
    ways = _ways(attempts, attempt, team, context)
    way = await _choose(ways, attempt, context)
    if way == "doubt":
        attempt, team = await _take_back(attempts, attempt, team, context)
        way = "write" if not has_succeeded(attempt) and "write" in ways else "close"
    passed = has_succeeded(attempt)
    await context.record(AttemptEnded(attempt=attempt.number, passed=passed))
    change: dict[str, Any] = {
        "attempts": [*state["attempts"], attempt.model_dump(mode="json")],
        "draft": None,
    }
    if not passed and way != "close":
        replans = team.replans + (way == "plan")
        return {**change, **team.update(way=way, replans=replans)}
    title = team.plan.steps[team.step - 1].title
    await context.record(StepEnded(step=team.step, title=title, done=passed))
    if not passed:
        return {**change, **team.update(way="close")}
    is_last = team.is_last_step
    return {
        **change,
        **team.update(
            {"done": team.record.done + 1},
            way="optimize" if is_last else "write",
            tries=0,
            base=attempt.number,
        ),
    }


def _ways(
    attempts: Sequence[Attempt], attempt: Attempt, team: TeamState, context: FlowContext
) -> tuple[str, ...]:
    """Where an attempt can go that did not pass, the default first; nowhere if it did."""
    if has_succeeded(attempt):
        return ()
    limits = context.task.limits
    ways: list[str] = []
    in_doubt = only_generated_failed(attempt.verdicts)
    if team.tries < limits.attempts and not misses_the_same((*attempts, attempt)):
        ways.append("write")
    if team.plan.is_divided and team.replans < MAX_REPLANS and context.has("planner"):
        ways.append("plan")
    if in_doubt:
        # What the user gave passes, or both of two candidates fail the same tests: no vote
        # of a model's is needed, and none may count.
        if users_passed(attempt.verdicts) or _fails_as_before(attempts, attempt, team):
            return ("doubt", *ways)[:1]
        ways.append("doubt")
    return (*ways, "close") if ways else ("close",)


async def _choose(ways: Sequence[str], attempt: Attempt, context: FlowContext) -> str:
    """The one way, or the Manager's choice of several."""
    real = [way for way in ways if way != "close"]
    if len(real) < 2:
        return ways[0] if ways else "close"
    choices = {_MEANINGS[way][0]: _MEANINGS[way][1] for way in ways}
    situation = feedback_on(attempt, hide_tests=context.task.hide_tests)
    said, default = f"The last answer did not pass.\n{situation}", _MEANINGS[ways[0]][0]
    chosen = await _ask_manager(context, attempt.number, said, choices, default)
    return next(way for way in ways if _MEANINGS[way][0] == chosen)


async def _ask_manager(
    context: FlowContext, attempt: int, situation: str, choices: Mapping[str, str], default: str
) -> str:
    """The Manager's choice; the default where a team has none."""
    if not context.has("manager"):
        return default
    manager = Manager(context.brief, context.ask)
    chosen = await manager.choose(attempt, situation, choices, default)
    await context.record(AgentSpoke(role="manager", text=f"Next: {title_of(chosen)}."))
    return chosen


async def _take_back(
    attempts: Sequence[Attempt], attempt: Attempt, team: TeamState, context: FlowContext
) -> tuple[Attempt, TeamState]:
    """Take back the generated tests that fail, and check the attempt with what is left of them."""
    failing = {
        failure.test
        for verdict in attempt.verdicts
        if verdict.check is CheckName.GENERATED_TESTS
        for failure in verdict.evidence.failures
    }
    suites = without_suspects(team.record.suites, failing)
    team = TeamState.model_validate(team.update({"suites": suites})["team"])
    said = f"{len(failing)} generated tests are taken back: they may be wrong themselves."
    await context.record(Notice(text=said))
    return await checked_anew(attempt, context, team), team


def only_generated_failed(verdicts: Sequence[Verdict]) -> bool:
    """Whether nothing but generated tests stands against a solution."""
    failed = [verdict.check for verdict in verdicts if not verdict.passed]
    return failed == [CheckName.GENERATED_TESTS]


def users_passed(verdicts: Sequence[Verdict]) -> bool:
    """Whether there are tests or examples of the user's, and all of them pass."""
    users = [verdict for verdict in verdicts if verdict.check in USERS_CHECKS]
    return bool(users) and all(verdict.passed for verdict in users)


def _fails_as_before(attempts: Sequence[Attempt], attempt: Attempt, team: TeamState) -> bool:
    """Whether another candidate of this step fails the same generated tests."""
    failing = _generated_failures(attempt)
    return any(
        failing <= _generated_failures(other)
        for other in attempts
        if other.step == attempt.step and other.solution != attempt.solution
    )


def _generated_failures(attempt: Attempt) -> frozenset[str]:
    return frozenset(
        failure.test
        for verdict in attempt.verdicts
        if verdict.check is CheckName.GENERATED_TESTS and verdict.outcome is Outcome.FAILED
        for failure in verdict.evidence.failures
    )
