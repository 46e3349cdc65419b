"""Tests in a language's usual way, as its TOML file describes: in the solution's own process."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.checks.building import Build, compile_files, with_outputs
from assay.checks.evidence import describe_ending, ended_well, of_run, outcome_of
from assay.checks.execution import find_missing
from assay.checks.rig import Rig
from assay.domain.task import TestFile
from assay.domain.verdict import CheckName, Failure, Judged, Outcome, Verdict
from assay.errors import BadInput
from assay.sandbox.languages import LanguageTests, get_language
from assay.sandbox.protocol import Job, Run

MAX_NAME = 200


@dataclass(frozen=True)
class NativeTests:
    """A test file, and how its language runs it."""

    file: TestFile
    how: LanguageTests


def parse_native_tests(file: TestFile, language: str) -> NativeTests:
    """Read a test file in a language of its own.

    Raises:
        BadInput: it is empty, or the language has no tests that can be run.
    """
    known = get_language(language)
    if known.tests is None:
        raise BadInput(
            f"Tests in {known.title} cannot be run ({file.name}). Write cases for the whole "
            "program in TOML: docs/tests.md tells how."
        )
    if not file.source.strip():
        raise BadInput(f"The file {file.name} is empty. Write tests into it.")
    return NativeTests(file, known.tests)


async def judge_native_tests(rig: Rig, check: CheckName, tests: NativeTests) -> Verdict:
    """Compile tests with the solution where that is needed, run them, and count."""
    name = _name(tests)
    main = rig.subject.solution.main.path
    files = {**rig.files, name: tests.file.source.encode("utf-8", "replace")}
    for path, text in tests.how.files.items():
        files[path] = text.replace("{file}", main).replace("{tests}", name).encode()
    paths = (file.path for file in rig.subject.solution.files)
    sources = rig.language.sources_among(paths)
    built: Build | None = None
    if tests.how.compile:
        command = rig.language.fill(
            tests.how.compile, rig.toolchain, main, tests=name, sources=sources
        )
        built = await compile_files(rig, command, files, tests.how.outputs)
        if not built.worked:
            return _not_compiled(check, built)
    command = rig.language.fill(tests.how.run, rig.toolchain, main, tests=name, sources=sources)
    job = with_outputs(rig.command_job(command, files), built)
    run = await rig.sandbox.run(job)
    return _counted(rig, check, tests, run, job)


def _name(tests: NativeTests) -> str:
    """The file's name in the working folder: one that the language takes for tests."""
    name = tests.file.name.replace("\\", "/").rsplit("/", 1)[-1]
    endings = tests.how.names
    return name if not endings or name.endswith(endings) else f"given{endings[0]}"


def _not_compiled(check: CheckName, built: Build) -> Verdict:
    summary = f"the tests do not compile with the solution: {built.complaint}"
    evidence = built.evidence(summary)
    failure = Failure(test="compiling the tests", message=built.complaint[:1000])
    evidence = evidence.model_copy(update={"total": 1, "failures": (failure,)})
    return Verdict(check=check, outcome=Outcome.FAILED, judged=Judged.IN_PROCESS, evidence=evidence)


def _counted(rig: Rig, check: CheckName, tests: NativeTests, run: Run, job: Job) -> Verdict:
    """What the run's words and its end say."""
    passed, failed = (
        _named(pattern, run.stdout.text) for pattern in (tests.how.passed, tests.how.failed)
    )
    outcome = outcome_of(run)
    problem = "" if ended_well(run) else describe_ending(run)
    missing = find_missing(rig, run.stderr.text) if outcome is Outcome.FAILED else ()
    if missing:
        outcome = Outcome.COULD_NOT_RUN
    if outcome is Outcome.PASSED and failed:
        outcome = Outcome.FAILED
    if not passed and not failed:
        # It says nothing of single tests: the file as a whole is one.
        passed, failed = ([tests.file.name], []) if not problem else ([], [tests.file.name])
    elif problem and not failed:
        failed = [tests.file.name]
    total = len(passed) + len(failed)
    summary = f"{len(passed)} of {total} passed, in the solution's own process"
    evidence = of_run(
        run,
        job,
        summary=f"{summary}; {problem}" if problem else summary,
        total=total,
        passed=len(passed),
        failures=tuple(Failure(test=name, message=problem) for name in failed),
        missing=missing,
    )
    return Verdict(check=check, outcome=outcome, judged=Judged.IN_PROCESS, evidence=evidence)


def _named(pattern: str, text: str) -> list[str]:
    """Names of tests in what was printed, each once."""
    if not pattern:
        return []
    found = (match[1][:MAX_NAME] for match in re.finditer(pattern, text, re.MULTILINE))
    return list(dict.fromkeys(found))
