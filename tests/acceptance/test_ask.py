"""`assay ask` as a person uses it, on a scripted model and the real sandbox."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

WRONG = "def add(a, b):\n    return a - b"
RIGHT = "def add(a, b):\n    return a + b"


def fenced(code: str, language: str = "python") -> str:
    return f"Here it is.\n\n```{language}\n{code}\n```\n"


def test_a_wrong_answer_is_corrected_and_shown_to_be_right(assay: Assay, script: Script) -> None:
    model = script(
        [
            fenced(WRONG),
            {"text": fenced(RIGHT), "expect": "expected 3, got -1"},
        ]
    )
    done = assay("ask", "Add two numbers.", "--example", "add(1, 2) == 3", "--model", model)
    assert done.status == 0, done.err
    assert done.out == RIGHT + "\n"
    assert "attempt 1: examples failed" in done.err
    assert "expected 3" in done.err
    assert "attempt 2: examples passed" in done.err
    assert "VERIFIED  1 of 1 example passed, judged outside the solution's process." in done.err
    receipt = done.err.split("receipt ")[1].strip()
    again = assay("verify", receipt)
    assert again.status == 0, again.err
    assert "The receipt holds" in again.err


def test_json_holds_everything(assay: Assay, script: Script) -> None:
    model = script([fenced(WRONG), fenced(RIGHT)])
    done = assay(
        "ask", "Add.", "--example", "add(1, 2) == 3", "--model", model, "--json", "--quiet"
    )
    assert done.status == 0
    assert done.err == ""
    answer = done.json
    assert answer["status"] == "verified"
    assert answer["language"] == "python"
    assert answer["error"] is None
    assert [file["path"] for file in answer["solution"]["files"]] == ["solution.py"]
    assert answer["solution"]["files"][0]["code"].strip() == RIGHT
    assert len(answer["attempts"]) == 2
    checks = {v["check"]: v for v in answer["attempts"][0]["verdicts"]}
    assert checks["examples"]["outcome"] == "failed"
    assert checks["examples"]["judged"] == "outside"
    assert checks["examples"]["evidence"]["failures"][0]["got"] == "-1"
    assert answer["usage"]["calls"] == 2
    assert Path(answer["receipt"]).is_file()
    shown = assay("show", answer["session"])
    assert "attempt 2" in shown.out
    assert "+    return a + b" in shown.out
    assert "Add." in shown.out


def test_single_makes_one_attempt(assay: Assay, script: Script) -> None:
    model = script([fenced(WRONG), fenced(RIGHT)])
    done = assay(
        "ask", "Add.", "--example", "add(1, 2) == 3", "--model", model, "--flow", "single", "--json"
    )
    assert done.status == 1
    assert done.json["status"] == "unverified"
    assert len(done.json["attempts"]) == 1


def test_the_best_attempt_comes_back_when_all_are_used_up(assay: Assay, script: Script) -> None:
    half = "def f(x):\n    return 1"
    model = script([fenced("def f(x):\n    return 9"), fenced(half), fenced("def f(:")])
    done = assay("ask", "f", "--example", "f(0) == 1", "--example", "f(1) == 2", "--model", model)
    assert done.status == 1
    assert done.out == half + "\n"
    assert "UNVERIFIED  Examples failed (1 of 2 passed)" in done.err


def test_examples_are_found_in_the_request(assay: Assay, script: Script) -> None:
    model = script([fenced(RIGHT)])
    done = assay("ask", "Write add so that add(2, 2) == 4.", "--model", model, "--json")
    assert done.json["status"] == "verified"


def test_what_the_model_adds_beside_a_function_counts_as_nothing(
    assay: Assay, script: Script
) -> None:
    model = script([fenced(RIGHT + "\n\nassert add(1, 1) == 3\nprint(add(1, 2))")])
    done = assay("ask", "Add.", "--example", "add(1, 2) == 3", "--model", model)
    assert done.status == 0
    assert done.out == RIGHT + "\n"
    assert "kept apart" in done.err


def test_prose_is_an_answer(assay: Assay, script: Script) -> None:
    done = assay("ask", "What is a tuple?", "--model", script(["A tuple is a fixed sequence."]))
    assert done.status == 0
    assert done.out == "A tuple is a fixed sequence.\n"
    assert "ANSWERED" in done.err
    prose = fenced("x")  # an explanation may show code
    done = assay("ask", "Explain it.", "--answer", "prose", "--model", script([prose]))
    assert done.status == 0
    assert "```" in done.out


def test_reflection_goes_into_the_next_prompt(assay: Assay, script: Script) -> None:
    model = script(
        [
            fenced(WRONG),
            {"text": "It subtracts where it should add.", "expect": "return a - b"},
            {"text": fenced(RIGHT), "expect": "It subtracts where it should add."},
        ]
    )
    done = assay(
        "ask", "Add.", "--example", "add(1, 2) == 3", "--model", model, "--reflect", "--json"
    )
    assert done.status == 0
    assert done.json["attempts"][0]["reflection"] == "It subtracts where it should add."
    shown = assay("show", done.json["session"]).out
    told = ["programmer, sent as system", "examples: failed", "critic, sent as user", "attempt 2"]
    assert sorted(told, key=shown.index) == told


def test_users_tests_decide(assay: Assay, script: Script, tmp_path: Path) -> None:
    tests = tmp_path / "test_add.py"
    tests.write_text("from solution import add\n\ndef test_it():\n    assert add(2, 3) == 5\n")
    model = script([fenced(WRONG), fenced(RIGHT)])
    done = assay("ask", "Add.", "--tests", tests, "--model", model, "--json")
    assert done.status == 0
    last = {v["check"]: v for v in done.json["attempts"][1]["verdicts"]}
    assert last["tests"]["outcome"] == "passed"
    assert last["tests"]["judged"] == "outside"
    assert done.json["status"] == "verified"


def test_attachments_are_there_and_in_the_prompt(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n1,2\n")
    model = script([{"text": fenced("print(open('rows.csv').read())"), "expect": "a,b"}])
    done = assay("ask", "Print it.", "--attach", rows, "--model", model, "--json")
    assert done.status == 0
    assert "1,2" in done.json["attempts"][0]["verdicts"][1]["evidence"]["stdout"]


def test_documentation_is_in_the_prompt(assay: Assay, script: Script, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("# The frob call\n\nCall `frob(x)` to frob x.\n")
    model = script([{"text": fenced("print(1)"), "expect": "Call `frob(x)`"}])
    done = assay("ask", "How do I frob?", "--docs", page.parent, "--model", model)
    assert done.status == 0, done.err
    assert "documentation: 1 pages" in done.err


def test_files_are_written_and_what_was_there_is_kept(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "solution.py").write_text("mine")
    done = assay("ask", "Add.", "--model", script([fenced(RIGHT)]), "-o", out)
    assert done.status == 0
    assert (out / "solution.py").read_text() == RIGHT + "\n"
    assert (out / "solution.py.~1~").read_text() == "mine"
    assert "kept as solution.py.~1~" in done.err


def test_nothing_is_written_through_a_link(assay: Assay, script: Script, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text("mine")
    out = tmp_path / "out"
    out.mkdir()
    (out / "solution.py").symlink_to(elsewhere)
    done = assay("ask", "Add.", "--model", script([fenced(RIGHT)]), "-o", out)
    assert elsewhere.read_text() == "mine"
    assert done.status == 2
    assert "symbolic link" in done.err
    assert done.out == RIGHT + "\n", "the answer is not lost"


def test_ctrl_c_stops_cleanly(script: Script, tmp_path: Path) -> None:
    model = script([{"text": "…", "error": "hang"}])
    asking = subprocess.Popen(
        [sys.executable, "-m", "assay", "ask", "Add.", "--model", model],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert asking.stderr is not None
    for line in asking.stderr:
        if "is asked" in line:
            break
    asking.send_signal(signal.SIGINT)
    out, err = asking.communicate(timeout=60)
    assert asking.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "stopped" in err
    listed = subprocess.run(
        [sys.executable, "-m", "assay", "sessions", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(listed.stdout)["sessions"][0]["state"] == "stopped"


def test_a_pipe_closed_early_is_no_crash(script: Script, tmp_path: Path) -> None:
    long = "\n".join(f"x{n} = {n}" for n in range(20_000))
    model = script([fenced(long)])
    asking = subprocess.Popen(
        [sys.executable, "-m", "assay", "ask", "Numbers.", "--model", model, "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert asking.stdout is not None
    assert asking.stderr is not None
    os.read(asking.stdout.fileno(), 10)
    asking.stdout.close()
    err = asking.stderr.read()
    asking.stderr.close()
    asking.wait(60)
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err


@pytest.mark.parametrize(
    ("replies", "status", "kind"),
    [
        ([{"error": 401}], 3, "model_refused"),
        ([{"text": "I cannot help with that."}] * 3, 1, "no_code"),
        ([{"text": "```python\ndef f(", "finish_reason": "length"}] * 3, 1, None),
        ([fenced(WRONG)], 3, "model_failed"),
    ],
)
def test_models_that_fail(
    assay: Assay, script: Script, replies: list[Any], status: int, kind: str | None
) -> None:
    arguments = ("--example", "add(1, 2) == 3", "--model", script(replies), "--json")
    done = assay("ask", "Write a function.", *arguments)
    assert done.status == status, done.err
    if kind:
        assert done.json["error"]["kind"] == kind


def test_a_limit_that_is_reached_gives_the_best_so_far(assay: Assay, script: Script) -> None:
    usage = {"input_tokens": 500, "output_tokens": 600}
    model = script([{"text": fenced(WRONG), "usage": usage}, fenced(RIGHT)])
    done = assay(
        "ask", "Add.", "--example", "add(1, 2) == 3", "--model", model, "--max-tokens", "1000"
    )
    assert done.status == 4
    assert done.out == WRONG + "\n"
    assert "--max-tokens" in done.err


def test_a_limit_of_cost_that_cannot_be_held_is_said(assay: Assay, script: Script) -> None:
    done = assay("ask", "Add.", "--model", script([fenced(RIGHT)]), "--max-cost", "1")
    assert done.status == 0
    assert "--max-cost limits nothing" in done.err


def test_an_error_after_an_attempt_gives_the_best_so_far(assay: Assay, script: Script) -> None:
    model = script([fenced(WRONG), {"text": "context_length_exceeded", "error": 400}])
    done = assay("ask", "Add.", "--example", "add(1, 2) == 3", "--model", model)
    assert done.status == 2
    assert done.out == WRONG + "\n"
    assert "The prompt is longer than" in done.sentence


def test_a_limit_below_the_first_prompt_asks_nobody(assay: Assay, script: Script) -> None:
    done = assay("ask", "Add.", "--model", script([fenced(RIGHT)]), "--max-tokens", "10", "--json")
    assert done.status == 4
    assert done.json["usage"]["calls"] == 0
    assert "--max-tokens" in done.json["error"]["message"]


def test_time_that_is_used_up(assay: Assay, script: Script) -> None:
    model = script([{"text": "x", "error": "hang"}])
    done = assay("ask", "Add.", "--model", model, "--timeout", "0.5")
    assert done.status == 4
    assert "--timeout" in done.err
