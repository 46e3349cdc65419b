"""Making a program of a solution in a compiled language, in a sandbox of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.checks.evidence import ended_well, of_run
from assay.checks.rig import Rig
from assay.domain.verdict import Evidence
from assay.sandbox.languages import COMPILE_LIMITS
from assay.sandbox.protocol import Job, Run

OUTPUT_LIMIT = 64 * 1024 * 1024
"""Bytes that each output may have."""


@dataclass(frozen=True)
class Build:
    """What became of compiling."""

    run: Run
    job: Job
    outputs: Mapping[str, bytes]
    """What was made, by path; nothing where it failed."""

    @property
    def worked(self) -> bool:
        """Whether there is something to run."""
        return bool(self.outputs)

    @property
    def complaint(self) -> str:
        """The compiler's own words, the first error first."""
        text = self.run.stderr.text.strip() or self.run.stdout.text.strip()
        lines = [line for line in text.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()]
        return (errors or lines or ["it made nothing"])[0].strip()

    def evidence(self, summary: str) -> Evidence:
        """It as a verdict tells it; some compilers speak on stdout."""
        found = of_run(self.run, self.job, summary=summary)
        spoken = self.run.stderr.text or self.run.stdout.text
        return found.model_copy(update={"stderr": spoken})


async def build(rig: Rig) -> Build | None:
    """Compile the solution, once a rig; None in a language that is not compiled."""
    compiling = rig.language.compile
    if compiling is None:
        return None
    key = rig.subject.solution.sha256
    found = rig.builds.get(key)
    if found is None:
        paths = (file.path for file in rig.subject.solution.files)
        command = rig.language.fill(
            compiling.command,
            rig.toolchain,
            rig.subject.solution.main.path,
            sources=rig.language.sources_among(paths),
        )
        found = await compile_files(rig, command, rig.files, compiling.outputs)
        rig.builds[key] = found
    return found


async def compile_files(
    rig: Rig, command: tuple[str, ...], files: Mapping[str, bytes], outputs: tuple[str, ...]
) -> Build:
    """Run a compiler on files of the working folder."""
    job = Job(
        command=command,
        toolchain=rig.toolchain,
        files=files,
        limits=COMPILE_LIMITS,
        collect=outputs,
        collect_bytes=OUTPUT_LIMIT,
    )
    run = await rig.sandbox.run(job)
    whole = ended_well(run) and all(path in run.files for path in outputs)
    return Build(run, job, run.files if whole else {})


def with_outputs(job: Job, built: Build | None) -> Job:
    """The job with what was compiled for it."""
    if built is None:
        return job
    return replace(job, files={**job.files, **built.outputs}, executables=frozenset(built.outputs))
