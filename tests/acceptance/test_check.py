"""`assay check` and `assay verify` on whatever a person may give them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

CODE = "def add(a, b):\n    return a + b\n"
REPLY = f"Here:\n\n```python\n{CODE}```\n"


@pytest.fixture
def add(tmp_path: Path) -> Path:
    path = tmp_path / "add.py"
    path.write_text(CODE)
    return path


def test_files_are_checked(assay: Assay, add: Path, tmp_path: Path) -> None:
    done = assay("check", add, "--example", "add(1, 2) == 3", "--json")
    assert done.status == 0
    assert done.json["status"] == "verified"
    assert [one["check"] for one in done.json["verdicts"]] == ["imports", "execution", "examples"]
    assert done.json["error"] is None
    done = assay("check", add, "--example", "add(1, 2) == 4")
    assert done.status == 1
    assert "expected 4" in done.err
    assert "got      3" in done.err
    done = assay("check", add, "--example", "sub(1, 2) == 4")
    assert "the solution has no `sub`; it has `add`" in done.err
    assert "got" not in done.err
    main = tmp_path / "main.py"
    main.write_text("from add import add\nprint(add(20, 22))\n")
    done = assay("check", add, main, "--json")
    assert done.status == 0
    assert done.json["verdicts"][1]["evidence"]["stdout"] == "42\n"
    assert "\n    42\n" in assay("check", add, main).err
    assert assay("check", main).status == 1
    main.write_text("for n in range(9):\n    print('line', n)\n")
    assert "\n    line 4\n    … and 4 more lines\n" in assay("check", main).err


def test_every_test_file_that_is_named_is_run(assay: Assay, add: Path, tmp_path: Path) -> None:
    right, wrong = tmp_path / "test_right.py", tmp_path / "test_wrong.py"
    right.write_text("from add import add\ndef test_right():\n    assert add(1, 2) == 3\n")
    wrong.write_text("from add import add\ndef test_wrong():\n    assert add(1, 2) == 4\n")
    done = assay("check", add, "--tests", wrong, "--tests", right)
    assert done.status == 1
    assert "tests failed  1 of 2" in done.err
    again = tmp_path / "again"
    again.mkdir()
    right.rename(again / wrong.name)
    done = assay("check", add, "--tests", wrong, "--tests", again / wrong.name)
    assert done.status == 2
    assert "Two test files are named test_wrong.py" in done.sentence


def test_why_tests_ran_in_the_solution_s_process_and_what_was_skipped_is_said(
    assay: Assay, add: Path, tmp_path: Path
) -> None:
    tests = tmp_path / "test_add.py"
    tests.write_text(
        "import time\nimport pytest\nfrom add import add\n"
        "def test_add(monkeypatch):\n    monkeypatch.setattr(time, 'time', lambda: 7)\n"
        "    assert add(1, 2) == 3\n"
        "@pytest.mark.skip(reason='another day')\ndef test_later():\n    assert add(1, 2) == 4\n"
    )
    done = assay("check", add, "--tests", tests)
    assert done.status == 0
    assert "    in the solution's own process: line 5 patches time; 1 skipped (" in done.err
    assert "another day)\n" in done.err


def test_replies_are_checked(assay: Assay, tmp_path: Path) -> None:
    reply = tmp_path / "reply.md"
    reply.write_text(REPLY)
    done = assay("check", "--reply", reply, "--example", "add(1, 2) == 3")
    assert (done.status, done.out) == (0, CODE)
    done = assay("check", "--reply", "-", "--example", "add(1, 2) == 3", stdin=REPLY)
    assert (done.status, done.out) == (0, CODE)
    reply.write_text(REPLY[:30])
    done = assay("check", "--reply", reply, "--finish-reason", "length", "--json")
    assert done.status == 1
    assert done.json["error"]["kind"] == "truncated"
    assert done.json["verdicts"] == []
    done = assay("check", "--reply", "-", stdin="I cannot do that.")
    assert done.status == 1
    assert "code" in done.sentence
    done = assay("check", "--reply", reply, "--finish-reason", "nosuch")
    assert done.status == 2
    assert "stop or length" in done.sentence


@pytest.mark.parametrize(
    ("make", "more", "said"),
    [
        (None, [], "does not exist"),
        (lambda path: path.mkdir(), [], "is not a file"),
        (lambda path: path.write_bytes(b"\0\xff" * 99), [], "is not UTF-8 text"),
        (lambda path: path.touch(), [], "is empty"),
        (lambda path: path.write_text("x"), ["--language", "klingon"], "klingon"),
    ],
    ids=["missing", "folder", "binary", "empty", "language"],
)
def test_files_that_are_no_code(
    assay: Assay, tmp_path: Path, make: Any, more: list[str], said: str
) -> None:
    path = tmp_path / "given.py"
    if make:
        make(path)
    done = assay("check", path, *more, "--json")
    assert done.status == 2
    assert said in done.sentence
    assert done.json["verdicts"] == []
    assert done.json["error"]["message"] == done.sentence.removeprefix("assay: ")


def test_a_language_that_is_not_known_or_another(assay: Assay, add: Path, tmp_path: Path) -> None:
    other = tmp_path / "given.xyz"
    other.write_text(CODE)
    done = assay("check", other)
    assert done.status == 2
    assert "--language" in done.sentence
    assert assay("check").status == 2
    done = assay("check", add, "--language", "javascript", "--json")
    assert done.status == 1
    assert done.json["verdicts"][-1]["outcome"] != "passed"
    ruby = tmp_path / "main.rb"
    ruby.write_text("puts 1\n")
    done = assay("check", ruby)
    assert done.status == 2
    assert "javascript" in done.sentence


def test_a_machine_without_node(assay: Assay, tmp_path: Path) -> None:
    program = tmp_path / "hello.js"
    program.write_text("console.log('hello')\n")
    env = {"PATH": str(tmp_path)}
    done = assay("check", program, "--json", env=env)
    assert done.status == 1
    verdict = done.json["verdicts"][0]
    assert verdict["outcome"] == "could_not_run"
    assert "Node" in verdict["evidence"]["summary"]
    done = assay("doctor", "--json", env=env)
    rows = {one["name"]: one for one in done.json["sandbox and languages"]}
    assert not rows["JavaScript"]["ok"]
    assert "Node" in rows["JavaScript"]["advice"]


@pytest.fixture
def receipt(assay: Assay, script: Script) -> Path:
    example = ("--example", "add(1, 2) == 3")
    done = assay("ask", "Add.", *example, "--model", script([REPLY]), "--json", "--quiet")
    assert done.status == 0
    return Path(done.json["receipt"])


def edited(receipt: Path, **changes: Any) -> Path:
    """The receipt with changes, as somebody else's file."""
    path = receipt.parent.parent.parent / "edited.json"
    path.write_text(json.dumps({**json.loads(receipt.read_text("utf-8")), **changes}))
    return path


def test_no_verdict_of_a_receipt_is_believed(assay: Assay, receipt: Path) -> None:
    whole = json.loads(receipt.read_text("utf-8"))
    done = assay("verify", receipt, "--json")
    assert done.status == 0
    assert done.json["holds"]
    wrong = {**whole["solution"]}
    wrong["files"] = [{**wrong["files"][0], "code": CODE.replace("+", "-")}]
    done = assay("verify", edited(receipt, solution=wrong), "--json")
    assert done.status == 1
    assert "solution/solution.py was changed" in done.sentence
    assert done.json["changed"] == ["solution/solution.py"]
    assert not done.json["holds"]
    example = {"examples": ["add(1, 2) == 4"]}
    done = assay("verify", edited(receipt, **example))
    assert done.status == 1
    assert "the receipt does not hold" in done.sentence


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "does not exist"),
        (b"", "is not a receipt"),
        (b'{"version": 1, "ses', "ends in the middle"),
        (b"\xff\xfe", "is not UTF-8"),
        (b'{"version": 99}', "newer Assay"),
        (b'{"version": 1}', "is not as Assay wrote it"),
        (b"[" * 100_000, "is not a receipt"),
    ],
)
def test_receipts_that_are_none(
    assay: Assay, tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "receipt.json"
    if content is not None:
        path.write_bytes(content)
    done = assay("verify", path, "--json")
    assert done.status == 2
    assert said in done.sentence
    assert done.json["holds"] is False
    assert done.json["error"]["kind"] == "receipt"


def test_grants_of_somebody_elses_receipt_need_a_word(assay: Assay, receipt: Path) -> None:
    other = edited(receipt, grants={"env": ["SECRET_KEY"]})
    env = {"SECRET_KEY": "sk-planted"}
    done = assay("verify", other, "--json", env=env)
    assert done.status == 2
    assert "the variable SECRET_KEY" in done.sentence
    assert "--with-grants" in done.sentence
    assert assay("verify", other, "--with-grants", env=env).status == 0


def test_sessions_that_are_not_there(assay: Assay, script: Script) -> None:
    assert assay("sessions", "--json").json == {"sessions": [], "error": None}
    done = assay("show", "nosuch", "--json")
    assert done.status == 2
    assert "assay sessions" in done.sentence
    assert done.json["error"]["kind"] == "session_not_found"
    assert assay("delete", "nosuch").status == 2
    model = script([REPLY])
    ids = [assay("ask", "Add.", "--model", model, "--json").json["session"] for _ in range(2)]
    done = assay("show", ids[0][:4])
    assert done.status == 2
    assert "Type more of the id" in done.sentence
    done = assay("delete", ids[0])
    assert done.status == 0
    left = assay("sessions", "--json").json["sessions"]
    assert [one["id"] for one in left] == ids[1:]


def test_models_and_documentation_that_are_not_there(assay: Assay, tmp_path: Path) -> None:
    done = assay("models", "pull", "nosuch")
    assert done.status == 2
    assert "qwen2.5-coder-1.5b" in done.sentence
    listed = assay("models", "list", "--json").json["models"]
    assert {one["state"] for one in listed} == {"missing"}
    done = assay("docs", "--json", "http://127.0.0.1:9/")
    assert done.status == 2
    assert "127.0.0.1" in done.sentence


def without_namespaces() -> list[str]:
    """The command where no further user namespace can be made."""
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    return [
        "unshare",
        "--user",
        "--map-root-user",
        "sh",
        "-c",
        script,
        "sh",
        sys.executable,
        "-m",
        "assay",
    ]


def test_no_user_namespaces(assay: Assay, script: Script, add: Path) -> None:
    command = without_namespaces()
    for arguments in (["check", add], ["ask", "Add.", "--model", script([REPLY])]):
        done = assay(*arguments, "--json", command=command)
        assert done.status == 5, done.err
        assert "assay doctor" in done.sentence
        assert done.json["error"]["kind"] in {"no_sandbox", "sandbox"}
    done = assay("doctor", "--json", command=command)
    assert done.status == 5
    rows = {one["name"]: one for one in done.json["sandbox and languages"]}
    assert not rows["sandbox"]["ok"]
    assert "max_user_namespaces" in rows["sandbox"]["advice"]
    done = assay("check", add, "--sandbox", "none", command=command)
    assert done.status == 0


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("import frobnicate_xyz\n", "frobnicate_xyz cannot be found in a run. If you trust it"),
        ("while True: pass\n", "--run-timeout SECONDS"),
    ],
)
def test_what_can_be_done_is_said(assay: Assay, tmp_path: Path, code: str, advice: str) -> None:
    path = tmp_path / "main.py"
    path.write_text(code)
    done = assay("check", path, "--run-timeout", 1)
    assert advice in done.err
    (said,) = assay("check", path, "--run-timeout", 1, "--json").json["advice"]
    assert advice in said
