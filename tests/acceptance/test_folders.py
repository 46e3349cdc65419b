"""`assay ask --in FOLDER`: its files are known, its tests are run, the difference is applied."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OPS = "from .names import NAME\n\n\ndef add(a, b):\n    return a - b\n"
TESTS = """import pytest

from calc.ops import add


def test_adds():
    assert add(1, 2) == 3


@pytest.mark.parametrize("n", [0, 5])
def test_zero(n):
    assert add(n, 0) == n
"""
RIGHT = f"Adds.\n\n**calc/ops.py**\n```python\n{OPS.replace('a - b', 'a + b')}```"
WRONG = f"Adds.\n\n**calc/ops.py**\n```python\n{OPS.replace('a - b', 'a * b')}```"
Assay = Callable[..., Any]
Script = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "calc").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "calc/__init__.py").write_text("")
    (folder / "calc/names.py").write_text('NAME = "calc"\n')
    (folder / "calc/ops.py").write_text(OPS)
    (folder / "tests/test_ops.py").write_text(TESTS)
    (folder / ".secret").write_text("hidden")
    (folder / "data.bin").write_bytes(b"\xff\x00")
    return folder


def ask(project: Path, model: str, *more: str) -> tuple[Any, ...]:
    command = ("--test-command", "pytest -q tests")
    return ("ask", "Mend add().", "--in", project, *command, "--model", model, *more)


def test_a_folder_is_mended_and_the_difference_applied(
    assay: Assay, script: Script, project: Path
) -> None:
    again = {"text": RIGHT, "expect": "tests/test_ops.py::test_adds: assert 2 == 3"}
    first = {"text": WRONG, "expect": "def add(a, b):\n    return a - b"}
    done = assay(*ask(project, script([first, again]), "--yes", "--json"))
    assert done.status == 0, done.err
    assert (project / "calc/ops.py").read_text() == OPS.replace("a - b", "a + b")
    assert "-    return a - b" in done.err
    assert "+    return a + b" in done.err
    assert f"checked in: {project}" in done.err
    tests = done.json["attempts"][-1]["verdicts"][-1]
    assert (tests["check"], tests["judged"]) == ("tests", "in_process")
    assert (tests["evidence"]["passed"], tests["evidence"]["total"]) == (3, 3)
    assert done.json["status"] == "ran"
    assert assay("verify", done.json["receipt"]).status == 0


def test_nothing_is_applied_without_approval_or_evidence(
    assay: Assay, script: Script, project: Path
) -> None:
    done = assay(*ask(project, script([RIGHT])))
    assert done.status == 6
    assert "+    return a + b" in done.err
    assert (project / "calc/ops.py").read_text() == OPS
    done = assay(*ask(project, script([WRONG]), "--yes", "--attempts", "1"))
    assert done.status == 6
    assert (project / "calc/ops.py").read_text() == OPS


def test_what_was_changed_meanwhile_is_not_written_over(
    assay: Assay, script: Script, project: Path
) -> None:
    session = assay(*ask(project, script([RIGHT]), "--json")).json["session"]
    (project / "calc/ops.py").write_text("mine = 1\n")
    done = assay("check-in", session, "--to", f"folder:{project}", "--yes")
    assert done.status == 6
    assert "was changed after the session had read it" in done.sentence
    assert (project / "calc/ops.py").read_text() == "mine = 1\n"


def test_a_repositorys_ignored_files_stay_unknown(
    assay: Assay, script: Script, project: Path
) -> None:
    (project / ".gitignore").write_text("*.log\n")
    (project / "noise.log").write_text("NOISE")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    done = assay(*ask(project, script([RIGHT]), "--json"))
    shown = assay("show", done.json["session"], "--json").json
    assert "noise.log" not in str(shown["replies"])
    assert ".gitignore" in shown["task"]["folder"]
    assert "data.bin" in shown["task"]["folder"]


def test_a_folder_names_no_program_for_git_to_run(
    assay: Assay, script: Script, project: Path, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    hostile = tmp_path / "hostile.sh"
    hostile.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hostile.chmod(0o755)
    config = ("config", "core.fsmonitor", str(hostile))
    subprocess.run(["git", *config], cwd=project, check=True)
    assert assay(*ask(project, script([RIGHT]), "--check-in", "branch", "--yes")).status in (0, 6)
    assert not (tmp_path / "ran").exists()


def test_other_languages_are_tested_by_their_own_command(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "check.sh").write_text('[ "$(bash add.sh 1 2)" = 3 ]\n')
    right = "**add.sh**\n```bash\necho $(($1 + $2))\n```"
    wrong = "**add.sh**\n```bash\necho $(($1 - $2))\n```"
    command = ("--test-command", "bash check.sh", "-l", "bash", "--yes")
    model = script([wrong, right])
    done = assay("ask", "Add.", "--in", folder, *command, "--model", model)
    assert done.status == 0, done.err
    assert (folder / "add.sh").read_text() == "echo $(($1 + $2))\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--in", "nowhere"), "is no folder"),
        (("--test-command", "pytest"), "name it with --in"),
        (("--in", ".", "--test-command", "'"), "cannot be read"),
    ],
)
def test_what_cannot_be_worked_on_is_told(
    assay: Assay, script: Script, arguments: tuple[str, ...], said: str
) -> None:
    done = assay("ask", "Add.", "--model", script(["x"]), *arguments)
    assert done.status == 2
    assert said in done.sentence


def test_a_folder_of_too_many_files_is_told(assay: Assay, script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(301):
        (folder / f"{number}.txt").write_text("x")
    done = assay("ask", "Add.", "--model", script(["x"]), "--in", folder)
    assert done.status == 2
    assert "holds 301 files" in done.sentence
