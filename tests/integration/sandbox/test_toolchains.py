"""Interpreters and granted packages: what a run can import, and what stays closed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from assay.domain.task import Grants
from assay.errors import PackagesError, ToolchainMissing
from assay.sandbox.languages import get_language
from assay.sandbox.protocol import Ending, Job, Run, Sandbox, Toolchain
from assay.sandbox.toolchains import find_toolchain

PYTHON = get_language("python")
FILES = {"javascript": "solution.js", "bash": "solution.sh"}


@pytest.fixture
def wheels(tmp_path: Path) -> str:
    """Requirements that a wheel beside the test fulfils, without a network."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "planted-1.5-py3-none-any.whl", "w") as wheel:
        wheel.writestr("planted.py", "name = 'planted'\n")
        wheel.writestr("planted.pth", "import sys; sys.pth_was_read = True\n")
        info = "planted-1.5.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: planted\nVersion: 1.5\n")
        tag = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{info}/WHEEL", tag)
        wheel.writestr(f"{info}/RECORD", "")
    return f"--no-index\n--find-links {folder}\nplanted\n"


async def run_python(sandbox: Sandbox, python: Toolchain, code: str) -> Run:
    command = PYTHON.run_command(python, "solution.py")
    return await sandbox.run(Job(command, python, {"solution.py": code.encode()}))


async def test_without_grants_there_is_the_standard_library_alone(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    python = find_toolchain(PYTHON, Grants(), tmp_path)
    assert python.packages == ()
    code = "import json, sqlite3, ssl, ctypes\nimport pip"
    run = await run_python(sandbox, python, code)
    assert PYTHON.missing_in(run.stderr.text) == ("pip",)


async def test_granted_packages_can_be_imported(
    sandbox: Sandbox, tmp_path: Path, wheels: str
) -> None:
    grants = Grants(requirements=wheels)
    python = find_toolchain(PYTHON, grants, tmp_path)
    assert python.packages == ("planted==1.5",)
    (installed,) = (folder for folder in (tmp_path / "envs").iterdir() if folder.is_dir())
    made = installed.stat().st_ino, installed.stat().st_mtime_ns
    code = "import planted, sys\nprint(planted.name, sys.pth_was_read)\nopen(planted.__file__, 'a')"
    run = await run_python(sandbox, python, code)
    assert run.stdout.text == "planted True\n"
    assert "Read-only file system" in run.stderr.text
    assert find_toolchain(PYTHON, grants, tmp_path) == python
    now = installed.stat().st_ino, installed.stat().st_mtime_ns
    assert now == made, "what is installed is not installed again"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A virtual environment with a package of its own, and a secret beside it."""
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    (next(home.glob("lib/python*/site-packages")) / "own.py").write_text("name = 'own'\n")
    (tmp_path / "beside.txt").write_text("secret")
    return home


async def test_an_interpreter_of_the_users_comes_with_its_packages(
    sandbox: Sandbox, tmp_path: Path, home: Path, wheels: str
) -> None:
    python = find_toolchain(PYTHON, Grants(python=str(home / "bin" / "python")), tmp_path)
    code = f"""
import own, os, sys
print(own.name, sys.prefix == {str(home)!r}, os.path.exists({str(tmp_path / "beside.txt")!r}))
"""
    run = await run_python(sandbox, python, code)
    assert run.stdout.text == "own True False\n", run.stderr.text

    both = Grants(python=str(home / "bin" / "python"), requirements=wheels)
    python = find_toolchain(PYTHON, both, tmp_path)
    run = await run_python(sandbox, python, "import own, planted\nprint('both')")
    assert run.stdout.text == "both\n", run.stderr.text
    assert "planted==1.5" in python.packages


def test_an_interpreter_that_is_none_is_named(tmp_path: Path) -> None:
    for path in (str(tmp_path / "none"), "/bin/true"):
        with pytest.raises(ToolchainMissing, match="--python"):
            find_toolchain(PYTHON, Grants(python=path), tmp_path)


def test_packages_that_cannot_be_had_are_an_error_with_advice(tmp_path: Path) -> None:
    for requirements in ("--no-index\nno-such-package-at-all\n", "== broken\n"):
        with pytest.raises(PackagesError, match="Only wheels are taken"):
            find_toolchain(PYTHON, Grants(requirements=requirements), tmp_path)
    assert [path.suffix for path in (tmp_path / "envs").iterdir()] == [".lock", ".lock"]


def test_what_a_killed_installation_left_is_removed(tmp_path: Path, wheels: str) -> None:
    grants = Grants(requirements=wheels)
    python = find_toolchain(PYTHON, grants, tmp_path)
    (installed,) = [path for path in (tmp_path / "envs").iterdir() if path.is_dir()]
    installed.rename(installed.with_name(f"{installed.name}-left"))
    assert find_toolchain(PYTHON, grants, tmp_path) == python
    assert [path for path in (tmp_path / "envs").iterdir() if path.is_dir()] == [installed]


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path, wheels: str) -> None:
    (tmp_path / "envs").write_text("in the way")
    with pytest.raises(PackagesError, match="ASSAY_CACHE_FOLDER"):
        find_toolchain(PYTHON, Grants(requirements=wheels), tmp_path)


def test_a_missing_interpreter_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainMissing, match=r"Install Node\.js"):
        find_toolchain(get_language("javascript"), Grants(), tmp_path)


@pytest.mark.parametrize(
    ("language", "code", "stdout"),
    [
        ("javascript", "console.log([1, 2].map(x => x * 2).join())", "2,4\n"),
        ("javascript", "const os = require('os'); console.log(os.homedir())", "/tmp\n"),
        ("bash", 'set -e; f() { echo "$1"; }; f hello | tr a-z A-Z', "HELLO\n"),
        ("bash", "awk 'BEGIN { print 6 * 7 }'", "42\n"),
    ],
)
async def test_other_languages_run(
    sandbox: Sandbox, tmp_path: Path, language: str, code: str, stdout: str
) -> None:
    known = get_language(language)
    toolchain = find_toolchain(known, Grants(), tmp_path)
    job = Job(
        known.run_command(toolchain, FILES[language]), toolchain, {FILES[language]: code.encode()}
    )
    run = await sandbox.run(job)
    assert run.stdout.text == stdout, run.stderr.text
    assert run.ending is Ending.EXITED
    check = replace(job, command=known.check_command(toolchain, FILES[language]))
    assert (await sandbox.run(check)).exit_status == 0
    broken = replace(check, files={FILES[language]: b"if (((\n"})
    assert (await sandbox.run(broken)).exit_status != 0


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("javascript", "const b = []; for (;;) b.push(new Array(1e6).fill(b.length))"),
        ("javascript", "const b = []; for (;;) b.push(Buffer.alloc(5e7, 1))"),
        ("bash", "x=x; while true; do x=$x$x; done"),
    ],
)
async def test_other_languages_run_out_of_memory(
    sandbox: Sandbox, tmp_path: Path, language: str, code: str
) -> None:
    known = get_language(language)
    toolchain = find_toolchain(known, Grants(), tmp_path)
    command = known.run_command(toolchain, FILES[language])
    run = await sandbox.run(Job(command, toolchain, {FILES[language]: code.encode()}))
    assert run.ending is Ending.OUT_OF_MEMORY, run


@pytest.mark.parametrize(
    ("language", "code", "missing"),
    [
        ("javascript", "require('left-pad')", "left-pad"),
        ("bash", "frobnicate --now", "frobnicate"),
    ],
)
async def test_what_is_missing_is_named(
    sandbox: Sandbox, tmp_path: Path, language: str, code: str, missing: str
) -> None:
    known = get_language(language)
    toolchain = find_toolchain(known, Grants(), tmp_path)
    command = known.run_command(toolchain, FILES[language])
    run = await sandbox.run(Job(command, toolchain, {FILES[language]: code.encode()}))
    assert known.missing_in(run.stderr.text) == (missing,)
