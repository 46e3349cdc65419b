"""The programs of tests/cases/correct are right under plain pytest, and their mutants are not."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.case_files import ProgramCase, read_programs

PROGRAMS = [case for case in read_programs("correct") if case.expected != "slow"]
MUTANTS = [mutant for case in PROGRAMS if (mutant := case.mutant) is not None]

_IMPORT = re.compile(r"^ *(?:from|import) (\w+)", re.MULTILINE)
_ALL_NAMES = """import solution
globals().update({name: value for name, value in vars(solution).items() if name[:2] != "__"})
"""
NO_TESTS = 5
"""Pytest's exit status where a file ran and had no test functions."""


def run_plainly(case: ProgramCase, folder: Path) -> tuple[int, str]:
    """Exit status and output of pytest, with the solution's names given to tests without import."""
    (tests,) = case.tests
    unknown = [
        name
        for name in _IMPORT.findall(tests)
        if find_spec(name) is None and not any(path.startswith(name) for path in case.files)
    ]
    module = unknown[0] if unknown else "solution"
    if module not in _IMPORT.findall(tests):
        tests = _ALL_NAMES + tests
    for path, text in {**case.files, **case.attachments, "test_it.py": tests}.items():
        target = folder / (f"{module}.py" if path == "solution.py" else path)
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
    options = ("-q", "-p", "no:cacheprovider", "-p", "pytest_asyncio.plugin", "-c", "/dev/null")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--rootdir={folder}", "test_it.py"],
        cwd=folder,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in PROGRAMS])
def test_the_program_is_right(case: ProgramCase, tmp_path: Path) -> None:
    status, output = run_plainly(case.original, tmp_path)
    assert status in {0, NO_TESTS}, output


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [pytest.param(case, id=case.name) for case in MUTANTS])
def test_the_mutant_is_wrong(mutant: ProgramCase, tmp_path: Path) -> None:
    status, output = run_plainly(mutant, tmp_path)
    assert status in {1, 2}, output
