"""What the agents of a team do, in lines that a person watches: who says what, what is done."""

from __future__ import annotations

from collections.abc import Iterator

from assay.domain import event as events
from assay.domain.plan import Plan
from assay.domain.roles import title_of
from assay.domain.team import Optimization, Suite, TeamRecord

_MOST_LINES = 12

TeamEvent = (
    events.AgentSpoke | events.PlanMade | events.StepEnded | events.SuiteTried | events.Optimized
)


def say_record(team: TeamRecord) -> Iterator[str]:
    """What a team has done in all, in lines."""
    if team.plan is not None:
        yield from (text for text, _ in _say_plan(team.plan, team.done))
    yield from (_say_suite(suite)[0] for suite in team.suites)
    if team.optimization is not None:
        yield _say_optimization(team.optimization)[0]


def say_teamwork(happening: TeamEvent) -> Iterator[tuple[str, str]]:
    """Lines that say what happened, each with its style."""
    match happening:
        case events.AgentSpoke(role=role, text=text):
            lines = text.strip().splitlines() or [""]
            yield f"{title_of(role)}: {lines[0]}", "bold"
            yield from ((f"    {line}", "") for line in lines[1:_MOST_LINES])
            if len(lines) > _MOST_LINES:
                yield f"    … and {len(lines) - _MOST_LINES} more lines", "dim"
        case events.PlanMade(plan=plan, done=done):
            yield from _say_plan(plan, done)
        case events.StepEnded(step=step, title=title, done=True):
            yield f"[x] {step}. {title}", "green"
        case events.StepEnded(step=step, title=title):
            yield f"[ ] {step}. {title}: given up", "red"
        case events.SuiteTried(suite=suite):
            yield _say_suite(suite)
        case events.Optimized(optimization=optimization):
            yield _say_optimization(optimization)


def _say_plan(plan: Plan, done: int) -> Iterator[tuple[str, str]]:
    for number, step in enumerate(plan.steps, 1):
        mark = "x" if number <= done else " "
        shows = f" ({step.shows})" if step.shows else ""
        yield f"[{mark}] {number}. {step.title}{shows}", ""


def _say_suite(suite: Suite) -> tuple[str, str]:
    tests = f"{suite.tests} test{'s' if suite.tests != 1 else ''}"
    killed = f", {suite.killed} of {suite.mutants} mutants fail them" if suite.mutants else ""
    if suite.kept:
        return f"Tester: {tests} from the task{killed}", ""
    return f"Tester: tests thrown away: {suite.reason}", "yellow"


def _say_optimization(optimization: Optimization) -> tuple[str, str]:
    what = "kept" if optimization.kept else "the former code stays"
    return f"Optimizer: {what}. {optimization.reason}", "green" if optimization.kept else "dim"
