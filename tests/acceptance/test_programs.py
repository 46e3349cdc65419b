"""Programs that are tested by cases, as a person asks for and checks them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

CASES = """
[[case]]
name = "doubles"
args = ["2"]
stdout = "4"

[[case]]
stdin = "21\\n"
stdout = "42"
"""
DOUBLES = {
    "python": "import sys\n\nn = sys.argv[1] if sys.argv[1:] else input()\nprint(int(n) * 2)\n",
    "javascript": (
        "const { readFileSync } = require('fs');\n"
        "const n = process.argv[2] ?? readFileSync(0, 'utf8');\nconsole.log(Number(n) * 2);\n"
    ),
    "bash": 'n=$1\n[ -n "$n" ] || read -r n\necho $((n * 2))\n',
}
ENDINGS = {"python": "py", "javascript": "js", "bash": "sh"}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.toml"
    path.write_text(CASES)
    return path


@pytest.mark.parametrize("language", DOUBLES)
def test_a_wrong_program_is_corrected_by_what_failed(
    assay: Assay, script: Script, cases: Path, language: str
) -> None:
    code = DOUBLES[language]
    wrong = code.replace("* 2", "* 3")
    fences = [f"A program:\n\n```{language}\n{each}```\n" for each in (wrong, code)]
    first = {"text": fences[0], "expect": "- arguments: 2\n  has to print: '4'"}
    second = {"text": fences[1], "expect": "expected 4, got 6"}
    model = script([first, second])
    asked = ["ask", "It doubles a number.", "--tests", cases, "--language", language]
    done = assay(*asked, "--model", model)
    assert done.status == 0, done.err
    assert done.out == code
    assert f"doubles: solution.{ENDINGS[language]} 2" in done.err
    assert "stdin '21\\n'" in done.err
    assert "VERIFIED  2 of 2 tests passed, judged outside the solution's process." in done.err
    receipt = done.err.split("receipt ")[1].strip()
    again = assay("verify", receipt)
    assert again.status == 0, again.err
    assert "The receipt holds" in again.err


@pytest.mark.parametrize("language", DOUBLES)
def test_programs_that_exist_are_checked(
    assay: Assay, tmp_path: Path, cases: Path, language: str
) -> None:
    program = tmp_path / f"double.{ENDINGS[language]}"
    program.write_text(DOUBLES[language])
    done = assay("check", program, "--tests", cases, "--json")
    assert done.status == 0, done.err
    assert done.json["status"] == "verified"
    assert [one["check"] for one in done.json["verdicts"]] == ["imports", "tests"]
    program.write_text(DOUBLES[language].replace("* 2", "* 0"))
    done = assay("check", program, "--tests", cases)
    assert done.status == 1
    assert "expected 4" in done.err
    assert "got      0" in done.err


def test_a_folder_of_pairs_is_as_good(assay: Assay, tmp_path: Path) -> None:
    program = tmp_path / "echo.sh"
    program.write_text("cat\n")
    folder = tmp_path / "samples"
    folder.mkdir()
    done = assay("check", program, "--tests", folder)
    assert done.status == 2
    assert "holds no tests" in done.sentence
    texts = {"1": "a", "2": "quotes \" ' \\ and \x7f é\r\n", "10": "[[case]]\n"}
    for name, text in texts.items():
        (folder / f"{name}.in").write_bytes(text.encode())
        (folder / f"{name}.out").write_bytes(text.encode())
    done = assay("check", program, "--tests", folder, "--json")
    assert done.status == 0, done.err
    assert done.json["verdicts"][1]["evidence"]["passed"] == 3
    (folder / "2.out").unlink()
    done = assay("check", program, "--tests", folder)
    assert done.status == 2
    assert "2.out" in done.sentence
    (folder / "2.out").write_bytes(b"\xff")
    done = assay("check", program, "--tests", folder)
    assert done.status == 2
    assert "not UTF-8" in done.sentence


@pytest.mark.parametrize(
    ("name", "source", "program", "said"),
    [
        ("t.toml", "[[case]]\nargs = [1]\nstdout = 'x'", "p.sh", "put it in quotes"),
        ("t.toml", "", "p.py", "holds no case"),
        ("t.py", "assert f(1) == 2", "p.sh", "are for Python, and the code is Bash"),
        ("t.js", "assert(f(1))", "p.py", "are for JavaScript, and the code is Python"),
    ],
)
def test_tests_that_cannot_be_used_are_refused(
    assay: Assay, tmp_path: Path, name: str, source: str, program: str, said: str
) -> None:
    (tmp_path / name).write_text(source)
    (tmp_path / program).write_text("true\n")
    done = assay("check", tmp_path / program, "--tests", tmp_path / name)
    assert done.status == 2, done.err
    assert said in done.err


def test_a_program_s_main_part_is_not_set_apart(assay: Assay, script: Script, cases: Path) -> None:
    code = (
        "import sys\n\n\ndef double(n):\n    return int(n) * 2\n\n\n"
        'if __name__ == "__main__":\n'
        "    print(double(sys.argv[1] if sys.argv[1:] else input()))\n"
    )
    model = script([f"```python\n{code}```"])
    question = "Write a function double and a program. double(2) returns 4"
    done = assay("ask", question, "--tests", cases, "--model", model, "--json")
    assert done.status == 0, done.err
    assert done.json["solution"]["set_apart"] == ""
    assert "__main__" in json.dumps(done.json["solution"]["files"])


def test_a_function_in_javascript_is_asked_for_by_its_tests(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    tests = tmp_path / "add.test.js"
    tests.write_text(
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { add } = require('./add');\n\n"
        "test('adds', () => assert.strictEqual(add(1, 2), 3));\n"
    )
    code = "function add(a, b) {\n  return a + b;\n}\n\nmodule.exports = { add };\n"
    wrong = code.replace("a + b", "a - b")
    fences = [f"```javascript\n{each}```\n" for each in (wrong, code)]
    first = {"text": fences[0], "expect": "Write it in javascript."}
    model = script([first, {"text": fences[1], "expect": "expected 4, got 0"}])
    asked = ["ask", "Add two numbers.", "--tests", tests, "--model", model]
    done = assay(*asked, "--example", "add(2, 2) === 4", "--trust-in-process")
    assert done.status == 0, done.err
    assert done.out == code
    assert "VERIFIED  1 of 1 test and 1 of 1 example passed, judged in" in done.err
    receipt = done.err.split("receipt ")[1].strip()
    again = assay("verify", receipt)
    assert again.status == 0, again.err
    assert "The receipt holds" in again.err


def test_how_far_many_cases_are_is_shown(assay: Assay, tmp_path: Path) -> None:
    program, cases = tmp_path / "echo.sh", tmp_path / "cases.toml"
    program.write_text("echo $1\n")
    cases.write_text("".join(f'[[case]]\nargs = ["{n}"]\nstdout = "{n}"\n' for n in range(100)))
    done = assay("check", program, "--tests", cases)
    assert done.status == 0, done.err
    said = [line for line in done.err.splitlines() if line.startswith("checking tests: ")]
    assert said == [f"checking tests: {n} of 100" for n in (25, 50, 75, 100)]
