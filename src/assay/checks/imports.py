"""The check `imports`: whether everything that the solution imports is there."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.checks.building import Build, build
from assay.checks.channel import BadChannel, read_messages, text_of
from assay.checks.evidence import (
    describe_ending,
    ended_well,
    error_line,
    of_run,
    outcome_of,
    without_run,
)
from assay.checks.rig import Rig
from assay.checks.syntax import parse_python
from assay.domain.solution import SolutionFile
from assay.domain.verdict import CheckName, Evidence, Failure, Outcome, Verdict
from assay.sandbox.protocol import Job, Run

_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")
"""A model's own tests are not run, so what they import need not be there."""
_MAX_JS_LINE = 1_000
_JS_IMPORT = re.compile(
    r"""^[ \t]*(?:import\s+(?:[^'";]*?\sfrom\s+)?|export\s+[^'";]*?\sfrom\s+|\}\s*from\s+"""
    r"""|(?:const|let|var)\s+[^=]+=\s*(?:await\s+)?(?:require|import)\(\s*|require\(\s*)"""
    r"""['"]([^'"]+)['"]"""
)


async def check_imports(rig: Rig) -> Verdict:
    """Import what the solution's files import at their top level, each in turn."""
    match rig.language.name:
        case "python":
            return await _check_python(rig)
        case "javascript":
            return await _check_syntax(rig, ".js", ".mjs", ".cjs") or await _resolve(rig)
    if (built := await build(rig)) is not None:
        return _compiled(rig, built)
    if not rig.language.check:
        return _passed("nothing is checked before it runs")
    return await _check_syntax(rig) or _passed("the syntax is right")


def imports_job(rig: Rig) -> Job:
    """What makes the imports of a Python solution, but for the plan of which."""
    return rig.driver_job("import_modules.py", rig.files, "ast", "json", "assay_tests.reports")


async def _run_driver(driver: Job, rig: Rig, plan: bytes) -> tuple[Run, Job]:
    job = replace(driver, tools={**driver.tools, "imports.json": plan})
    return await rig.sandbox.run(job), job


def has_syntax_error(verdict: Verdict) -> bool:
    """Whether it was the syntax or the compiler that failed, so that nothing else can be run."""
    summary = verdict.evidence.summary
    return not verdict.passed and ("SyntaxError" in summary or "CompileError" in summary)


def _passed(summary: str) -> Verdict:
    return without_run(CheckName.IMPORTS, Outcome.PASSED, summary)


async def _check_python(rig: Rig) -> Verdict:
    main = rig.subject.solution.main
    files = [
        file
        for file in rig.subject.solution.files
        if file == main or (file.path.endswith(".py") and not _TEST_FILE.search(file.path))
    ]
    if not any(_imports_something(file) for file in files):
        return _passed("nothing is imported")
    plan = json.dumps({"files": [file.path for file in files]}).encode()
    run, job = await _run_driver(imports_job(rig), rig, plan)
    try:
        found = _read_imports(run, files)
    except BadChannel as error:
        return _failed(run, job, f"the solution wrote to the result channel itself: {error}")
    missing = tuple(name for name in found.missing if name not in rig.own_modules)
    failures = tuple(found.failures)
    if missing:
        names = ", ".join(f"'{name}'" for name in missing)
        return _failed(run, job, f"ModuleNotFoundError: no module named {names}", missing, failures)
    if failures:
        return _failed(run, job, failures[0].message, (), failures)
    whole = found.ended and ended_well(run)
    if whole and not found.total:
        return _passed("nothing is imported")
    summary = f"{found.total} of {found.total} imported" if whole else describe_ending(run)
    outcome = outcome_of(run)
    if outcome is Outcome.PASSED and not whole:
        outcome = Outcome.FAILED  # an imported module ended the process
    evidence = of_run(run, job, summary=summary)
    return Verdict(check=CheckName.IMPORTS, outcome=outcome, evidence=evidence)


@dataclass
class _Imports:
    """What the driver said of all import statements."""

    total: int = 0
    failures: list[Failure] = field(default_factory=list)
    missing: dict[str, None] = field(default_factory=dict)
    """Top-level names of modules that were not found, in order."""
    ended: bool = False


def _read_imports(run: Run, files: Sequence[SolutionFile]) -> _Imports:
    found = _Imports()
    lines = {file.path: file.source.splitlines() for file in files}
    most = sum(file.source.count("import") for file in files)
    for message in read_messages(run):
        if message == {"end": True}:
            found.ended = True
            continue
        found.total += 1
        if found.total > most + len(files):  # each may report its syntax too
            raise BadChannel("there are more messages than imports")
        failure = _read_failure(message, lines)
        if failure is not None:
            found.failures.append(failure)
        if name := text_of(message, "missing"):
            found.missing[name.split(".")[0]] = None
    return found


def _imports_something(file: SolutionFile) -> bool:
    tree = parse_python(file.source)
    if tree is None:
        return True  # the interpreter that will run it may know better, and names the line
    return any(
        isinstance(node, ast.Import)
        or (isinstance(node, ast.ImportFrom) and node.module != "__future__")
        for node in tree.body
    )


def _read_failure(
    message: dict[str, object], sources: Mapping[str, Sequence[str]]
) -> Failure | None:
    path, line = text_of(message, "file"), message.get("line")
    number = line if isinstance(line, int) else 0
    syntax, error = text_of(message, "syntax"), text_of(message, "error")
    if not syntax and not error:
        return None
    lines = sources.get(path, ())
    text = lines[number - 1].strip()[:200] if 0 < number <= len(lines) else ""
    if syntax:
        said = f"SyntaxError: {syntax} ({path}, line {number}: {text})"
    else:
        said = f"{error}: {text_of(message, 'message')} ({path}, line {number}: {text})"
    return Failure(test=text or path, message=said[:1000])


def _compiled(rig: Rig, built: Build) -> Verdict:
    """Whether it compiles; what is missing is told like a missing module."""
    if built.worked:
        evidence = built.evidence("it compiles")
        return Verdict(check=CheckName.IMPORTS, outcome=Outcome.PASSED, evidence=evidence)
    outcome = outcome_of(built.run)
    said = built.complaint if outcome is Outcome.FAILED else describe_ending(built.run)
    evidence = built.evidence(f"CompileError: {said}")
    missing = rig.language.missing_in(evidence.stderr)
    own = {file.path for file in rig.subject.solution.files}
    missing = tuple(name for name in missing if name not in own)
    evidence = evidence.model_copy(update={"missing": missing})
    if outcome is Outcome.PASSED:
        outcome = Outcome.FAILED  # it made nothing
    return Verdict(check=CheckName.IMPORTS, outcome=outcome, evidence=evidence)


async def _check_syntax(rig: Rig, *suffixes: str) -> Verdict | None:
    """The verdict on the first file whose syntax is wrong, None where all are right."""
    for file in rig.subject.solution.files:
        if suffixes and not file.path.endswith(suffixes) and file != rig.subject.solution.main:
            continue
        command = rig.language.check_command(rig.toolchain, file.path)
        run, job = await rig.run_command(command, rig.files)
        if not ended_well(run):
            said = error_line(run.stderr.text) or describe_ending(run)
            if "SyntaxError" not in said:
                said = f"SyntaxError: {said}"
            return _failed(run, job, f"{said} ({file.path})")
    return None


async def _resolve(rig: Rig) -> Verdict:
    imports = [
        {"file": file.path, "specifier": found[1]}
        for file in rig.subject.solution.files
        for line in file.source.splitlines()
        if len(line) <= _MAX_JS_LINE and (found := _JS_IMPORT.match(line))
    ]
    if not imports:
        return _passed("nothing is imported")
    plan = json.dumps({"imports": imports}).encode()
    run, job = await _run_driver(rig.driver_job("resolve_modules.cjs", rig.files), rig, plan)
    try:
        failures = [
            Failure(test=text_of(message, "specifier"), message=text_of(message, "error"))
            for message in read_messages(run)
            if text_of(message, "error")
        ]
    except BadChannel as error:
        return _failed(run, job, f"the modules cannot be looked for: {error}")
    if failures or not ended_well(run):
        missing = tuple(dict.fromkeys(failure.test for failure in failures))
        summary = f"Cannot find module {', '.join(missing)}" if missing else describe_ending(run)
        packages = tuple(name for name in missing if not name.startswith((".", "/")))
        return _failed(run, job, summary, packages, tuple(failures))
    summary = f"{len(imports)} of {len(imports)} found"
    return Verdict(
        check=CheckName.IMPORTS, outcome=Outcome.PASSED, evidence=of_run(run, job, summary=summary)
    )


def _failed(
    run: Run,
    job: Job,
    summary: str,
    missing: tuple[str, ...] = (),
    failures: tuple[Failure, ...] = (),
) -> Verdict:
    evidence: Evidence = of_run(run, job, summary=summary, missing=missing, failures=failures)
    return Verdict(check=CheckName.IMPORTS, outcome=Outcome.FAILED, evidence=evidence)
