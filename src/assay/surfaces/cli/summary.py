"""A result as Markdown, for the page of a pipeline's job."""

from __future__ import annotations

from collections.abc import Iterator

from assay.domain.solution import SolutionFile
from assay.domain.team import TeamRecord
from assay.domain.verdict import Failure, Verdict
from assay.markdown import fenced, inline, table
from assay.surfaces.cli.shown import Shown
from assay.surfaces.cli.wording import say_check, say_failure

LIMIT_BYTES = 1 << 20
"""GitHub shows no longer page of a step."""
MOST_FAILURES = 20
_CUT = "\n\n*The rest is left out: the page may have 1 MiB.*\n"


def summary_markdown(shown: Shown, limit: int = LIMIT_BYTES) -> str:
    """The page, in at most `limit` bytes of UTF-8: parts that do not fit are left out, and told."""
    left = limit - len(_CUT)
    kept: list[str] = []
    for part in _parts(shown):
        size = len(f"{part}\n\n".encode())
        if size > left:
            return "\n\n".join(kept) + _CUT if limit > len(_CUT) else ""
        kept.append(part)
        left -= size
    return "\n\n".join(kept) + "\n"


def _parts(shown: Shown) -> Iterator[str]:
    yield f"### Assay: {shown.title.lower()} {shown.status.value}"
    yield f"**{inline(shown.headline, 2000)}**"
    if shown.error and shown.error != shown.headline:
        yield inline(shown.error, 2000)
    if shown.verdicts:
        columns = ("check", "outcome", "judged", "shown", "time")
        yield table(columns, [_row(verdict) for verdict in shown.verdicts])
    if shown.team:
        yield from _team(shown.team)
    for verdict in shown.verdicts:
        failures = verdict.evidence.failures
        if failures:
            yield f"#### What failed of the {say_check(verdict.check)}"
        yield from map(_failure, failures[:MOST_FAILURES])
        if verdict.evidence.failed > MOST_FAILURES and failures:
            yield f"… and {verdict.evidence.failed - MOST_FAILURES} more."
    yield from (inline(one, 2000) for one in shown.advice)
    yield from _origin(shown)
    for file in shown.solution.files if shown.solution else ():
        yield _file(file, shown.solution.language if shown.solution else None)


def _row(verdict: Verdict) -> tuple[str, ...]:
    evidence = verdict.evidence
    counted = f"{evidence.passed} of {evidence.total}" if evidence.total else ""
    return (
        say_check(verdict.check),
        verdict.outcome.value.replace("_", " "),
        verdict.judged.value.replace("_", " ") if verdict.judged else "",
        counted or inline(evidence.summary),
        f"{evidence.seconds:.2f} s" if evidence.command else "",
    )


def _failure(failure: Failure) -> str:
    lines = [failure.test, *(f"  {text}" for text, _ in say_failure(failure))]
    return fenced("\n".join(lines))


def _team(team: TeamRecord) -> Iterator[str]:
    steps = team.plan.steps if team.plan else ()
    if len(steps) > 1:
        marks = ("x" if number <= team.done else " " for number in range(1, len(steps) + 1))
        yield "\n".join(
            f"- [{mark}] {inline(step.title)}" for mark, step in zip(marks, steps, strict=True)
        )
    for suite in team.suites:
        if suite.kept:
            yield (
                f"{suite.tests} generated tests, which find {suite.killed} of {suite.mutants} "
                "mutants wrong."
            )
    if team.optimization:
        yield f"Optimizer: {inline(team.optimization.reason)}"
    if team.closing:
        yield inline(team.closing, 2000)


def _origin(shown: Shown) -> Iterator[str]:
    if shown.usage is not None:
        usage = shown.usage
        cost = f", {usage.cost:.4f} US dollars" if usage.cost is not None else ""
        yield (
            f"{shown.attempts} attempts, {usage.calls} calls, {usage.input_tokens:,} tokens in, "
            f"{usage.output_tokens:,} out{cost}."
        )
    if shown.session:
        yield f"Session `{shown.session}`."
    if shown.receipt:
        yield f"To run the checks again with no model:\n\n{fenced(f'assay verify {shown.receipt}')}"


def _file(file: SolutionFile, language: str | None) -> str:
    name = language if language and language.isalnum() else ""
    code = fenced(file.source, name)
    return f"<details><summary>{inline(file.path)}</summary>\n\n{code}\n\n</details>"
