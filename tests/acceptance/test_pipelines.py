"""From a pipeline: reports for others to read, and the action's steps run as a script."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ACTION = Path(__file__).parents[2] / "action.yml"
RIGHT = "Adds.\n```python\ndef add(a, b):\n    return a + b\n```"
WRONG = RIGHT.replace("a + b", "a - b")
ASK = ("ask", "Write add(a, b).", "--example", "add(1, 2) == 3", "--flow", "single")
Assay = Callable[..., Any]
Script = Callable[..., str]


@pytest.fixture
def reports(tmp_path: Path) -> tuple[str, ...]:
    return ("--junit", f"{tmp_path}/report.xml", "--summary", f"{tmp_path}/page.md")


def suites(path: Path) -> dict[str, ET.Element]:
    root = ET.fromstring(path.read_bytes())
    return {str(suite.get("name")): suite for suite in root}


def counted(suite: ET.Element) -> tuple[str | None, ...]:
    return tuple(suite.get(name) for name in ("tests", "failures", "errors", "skipped"))


def test_a_right_answer_is_reported(
    assay: Assay, script: Script, reports: Any, tmp_path: Path
) -> None:
    done = assay(*ASK, "--model", script([RIGHT]), *reports)
    assert done.status == 0, done.err
    found = suites(tmp_path / "report.xml")
    assert list(found) == ["imports", "execution", "examples", "assay"]
    assert [counted(suite) for suite in found.values()] == [("1", "0", "0", "0")] * 4
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("### Assay: answer verified\n\n**1 of 1 example passed")
    assert "| examples | passed | outside | 1 of 1 |" in page
    assert "def add(a, b):\n    return a + b" in page
    assert "assay verify " in page


def test_a_wrong_answer_is_reported_with_what_failed(
    assay: Assay, script: Script, reports: Any, tmp_path: Path
) -> None:
    done = assay(*ASK, "--model", script([WRONG]), *reports)
    assert done.status == 1
    found = suites(tmp_path / "report.xml")
    assert counted(found["examples"]) == ("1", "1", "0", "0")
    (failure,) = found["examples"].iter("failure")
    assert failure.get("message") == "expected 3"
    assert counted(found["assay"]) == ("1", "1", "0", "0")
    page = (tmp_path / "page.md").read_text()
    assert "```\nadd(1, 2) == 3\n  expected 3\n  got      -1\n```" in page


def test_a_command_that_comes_to_nothing_is_reported(
    assay: Assay, script: Script, reports: Any, tmp_path: Path
) -> None:
    done = assay(*ASK, "--model", script([{"text": "", "error": 401}]), *reports)
    assert done.status == 3
    assert counted(suites(tmp_path / "report.xml")["assay"])[1] == "1"
    wrong = assay(*ASK, "--model", "nobody:1", *reports)
    assert wrong.status == 2
    assert "There is no model" in (tmp_path / "report.xml").read_text()
    assert "There is no model" in (tmp_path / "page.md").read_text()


def test_checks_and_receipts_are_reported(
    assay: Assay, script: Script, reports: Any, tmp_path: Path
) -> None:
    (tmp_path / "add.py").write_text("def add(a, b):\n    return a + b\n")
    (tmp_path / "test_add.py").write_text(
        "".join(f"assert add({n}, 1) == {n + 1}\n" for n in range(7))
    )
    files = (tmp_path / "add.py", "--tests", tmp_path / "test_add.py")
    assert assay("check", *files, *reports).status == 0
    assert counted(suites(tmp_path / "report.xml")["tests"]) == ("7", "0", "0", "0")
    answer = assay(*ASK, "--model", script([RIGHT]), "--json").json
    assert assay("verify", answer["receipt"], *reports).status == 0
    assert "The receipt holds" in (tmp_path / "page.md").read_text()


def test_a_report_that_cannot_be_written_is_told_before_anything_is_spent(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    for flag in ("--junit", "--summary"):
        done = assay(*ASK, "--model", script([RIGHT]), flag, f"{tmp_path}/none/x")
        assert done.status == 2
        assert "name a file in a folder that is there" in done.sentence


class Action:
    """Runs the action's steps one after the other, as a runner would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "temp"
        self.temporary.mkdir()
        self.outputs = folder / "outputs"
        self.page = folder / "page.md"
        self.action = yaml.safe_load(ACTION.read_text("utf-8"))

    def run(self, **inputs: str) -> tuple[int, dict[str, str]]:
        """Give the last step's exit status, and the outputs."""
        known = self.action["inputs"]
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() <= known.keys()
        values = {name: given.get(name, one.get("default", "")) for name, one in known.items()}
        self.outputs.write_text("")
        status = 0
        for step in self.action["runs"]["steps"]:
            env = {
                name: values[text.removeprefix("${{ inputs.").removesuffix(" }}")]
                for name, text in step.get("env", {}).items()
            }
            status = subprocess.run(
                [step["shell"], "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder,
                env={
                    **os.environ,
                    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                    "RUNNER_TEMP": str(self.temporary),
                    "GITHUB_OUTPUT": str(self.outputs),
                    "GITHUB_STEP_SUMMARY": str(self.page),
                    "GITHUB_ACTION_PATH": str(ACTION.parent),
                    **env,
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            ).returncode
            if status:
                break
        lines = self.outputs.read_text().splitlines()
        return status, dict(line.split("=", 1) for line in lines)


@pytest.fixture
def action(tmp_path: Path) -> Action:
    return Action(tmp_path)


def test_the_action_asks_and_tells(action: Action, script: Script, tmp_path: Path) -> None:
    (tmp_path / "test_add.py").write_text("assert add(1, 2) == 3\n")
    status, outputs = action.run(
        question="Write add(a, b).",
        tests="test_add.py\n",
        examples="add(2, 2) == 4\nadd(0, 0) == 0\n",
        model=script([RIGHT]),
        output="out",
        check_in="folder:checked",
    )
    assert status == 0
    assert (outputs["status"], outputs["exit-status"]) == ("verified", "0")
    assert Path(outputs["receipt"]).is_file()
    assert "answer verified" in action.page.read_text()
    assert counted(suites(tmp_path / "assay.xml")["examples"])[0] == "2"
    assert (tmp_path / "checked/solution.py").exists()
    assert (tmp_path / "out/solution.py").exists()


@pytest.mark.parametrize(
    "question",
    [
        "Write 'add' \"quoted\" $(touch hacked) `touch hacked` ; touch hacked",
        "--help",
        "line one\nline two\n${{ github.token }}\n' || touch hacked; '",
    ],
)
def test_what_people_write_is_never_the_scripts(
    action: Action, script: Script, tmp_path: Path, question: str
) -> None:
    model = script([{"text": RIGHT, "expect": question.splitlines()[-1]}])
    hostile = '$(touch hacked)"; touch hacked; "'
    status, _ = action.run(question=question, model=model, flow="single")
    assert status == 0
    status, outputs = action.run(question=question, model=hostile, language=hostile, tests=hostile)
    assert (status, outputs["exit-status"]) == (2, "2")
    assert not (tmp_path / "hacked").exists()


def test_the_action_fails_where_the_evidence_is_missing(
    action: Action, script: Script, tmp_path: Path
) -> None:
    status, outputs = action.run(
        question="Write add(a, b).", examples="add(1, 2) == 3", model=script([WRONG]), attempts="1"
    )
    assert (status, outputs["status"]) == (1, "unverified")


def test_limits_of_cost_and_time_are_the_actions_inputs(action: Action, script: Script) -> None:
    slow = script([{"text": RIGHT, "delay": 60}])
    status, outputs = action.run(question="Write add(a, b).", model=slow, timeout="1", max_cost="1")
    assert (status, outputs["exit-status"]) == (4, "4")
