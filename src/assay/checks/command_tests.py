"""The tests of a folder, run by its own command: in the solution's process, by its exit status."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.checks.building import build, with_outputs
from assay.checks.evidence import describe_ending, ended_well, error_line, of_run, outcome_of
from assay.checks.execution import find_missing
from assay.checks.pytest_packages import PYTEST_PATH, pytest_binds
from assay.checks.rig import Rig
from assay.domain.verdict import CheckName, Failure, Judged, Outcome, Verdict
from assay.sandbox.protocol import Job, Run

MOST_FAILURES = 20
_PYTHONS = ("python", "python3")
_COUNT = re.compile(r"(\d+) (passed|failed|errors?)\b")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)(?: - (.*))?$", re.MULTILINE)


async def judge_command(rig: Rig, command: tuple[str, ...]) -> Verdict:
    """Run a command that tests the folder with the solution in it."""
    run, job = await _run(rig, command)
    outcome = outcome_of(run)
    passed, failed = _counted(run.stdout.text)
    problem = "" if ended_well(run) else describe_ending(run)
    missing = find_missing(rig, run.stderr.text) if outcome is Outcome.FAILED else ()
    if missing:
        outcome = Outcome.COULD_NOT_RUN
    if not passed and not failed:
        # It says nothing of single tests: the command is one.
        passed, failed = (0, 1) if problem else (1, 0)
    elif problem and not failed:
        failed = 1
    failures = [
        Failure(test=found[1][:300], message=(found[2] or "")[:500])
        for found in _FAILED.finditer(run.stdout.text)
    ][:MOST_FAILURES]
    if problem and not failures:
        said = error_line(run.stderr.text) or _last_line(run.stdout.text) or problem
        failures = [Failure(test=" ".join(command), message=said)]
    summary = f"{passed} of {passed + failed} passed, by the folder's own command"
    evidence = of_run(
        run,
        job,
        summary=f"{summary}; {problem}" if problem else summary,
        total=passed + failed,
        passed=passed,
        failures=tuple(failures),
        missing=missing,
    )
    return Verdict(
        check=CheckName.TESTS, outcome=outcome, judged=Judged.IN_PROCESS, evidence=evidence
    )


async def _run(rig: Rig, command: tuple[str, ...]) -> tuple[Run, Job]:
    job = with_outputs(_job(rig, command), await build(rig))
    return await rig.sandbox.run(job), job


def _job(rig: Rig, command: tuple[str, ...]) -> Job:
    """The command with the toolchain's own interpreter; pytest is brought along."""
    first, *rest = command
    if rig.language.name != "python":
        return rig.command_job(command, rig.files)
    if first == "pytest":
        rest = ["-m", "pytest", "-p", "no:cacheprovider", *rest]
    elif first not in _PYTHONS:
        return rig.command_job(command, rig.files)
    job = rig.command_job((rig.toolchain.executable, *rest), rig.files)
    toolchain = replace(job.toolchain, binds=(*job.toolchain.binds, *pytest_binds()))
    own = job.toolchain.env.get("PYTHONPATH")
    path = f"{own}:{PYTEST_PATH}" if own else PYTEST_PATH
    return replace(job, toolchain=toolchain, env={"PYTHONPATH": path, **job.env})


def _counted(stdout: str) -> tuple[int, int]:
    """How many tests passed and failed, as pytest and its like say at their end."""
    lines = [line for line in stdout.splitlines() if _COUNT.search(line)]
    counts = {"passed": 0, "failed": 0, "error": 0}
    for found in _COUNT.finditer(lines[-1] if lines else ""):
        counts[found[2].removesuffix("s")] += min(int(found[1][:9]), 10**6)
    return counts["passed"], counts["failed"] + counts["error"]


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:500] if lines else ""
