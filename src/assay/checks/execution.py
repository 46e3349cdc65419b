"""The check `execution`: the program itself, run to its end."""

from __future__ import annotations

from assay.checks.building import build, with_outputs
from assay.checks.evidence import describe_ending, error_line, of_run, outcome_of
from assay.checks.rig import Rig
from assay.checks.syntax import undefined_names
from assay.domain.verdict import CheckName, Outcome, Verdict


async def check_execution(rig: Rig) -> Verdict:
    """Run the main file as a program."""
    built = await build(rig)
    job = with_outputs(rig.program_job(rig.subject.solution.main.path, rig.files), built)
    run = await rig.sandbox.run(job)
    outcome = outcome_of(run)
    missing: tuple[str, ...] = ()
    summary = "ran to its end"
    if outcome is not Outcome.PASSED:
        summary = describe_ending(run)
    if outcome is Outcome.FAILED:
        missing = find_missing(rig, run.stderr.text)
        if missing:
            outcome = Outcome.COULD_NOT_RUN
            summary = f"could not run without {', '.join(missing)}: {summary}"
        else:
            summary += _other_undefined_names(rig, summary)
    return Verdict(
        check=CheckName.EXECUTION,
        outcome=outcome,
        evidence=of_run(run, job, summary=summary, missing=missing),
    )


def _other_undefined_names(rig: Rig, summary: str) -> str:
    """Where one name is not defined, say which others are not: a run finds only the first."""
    if rig.language.name != "python" or not summary.startswith("NameError"):
        return ""
    names = undefined_names(rig.subject.solution.main.source)
    others = [name for name in names if f"'{name}'" not in summary]
    return f"; also not defined: {', '.join(others)}" if others else ""


def find_missing(rig: Rig, stderr: str) -> tuple[str, ...]:
    """Modules or commands for whose lack the program ended."""
    # Python programs catch a missing module and go on; only the last error ended this one.
    text = error_line(stderr) if rig.language.name == "python" else stderr
    names = rig.language.missing_in(text)
    return tuple(name for name in names if name.split(".")[0] not in rig.own_modules)
