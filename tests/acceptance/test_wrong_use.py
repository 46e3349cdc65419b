"""Wrong use ends with status 2 and one sentence, before anything is spent or stored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

KEYS = {"status", "headline", "language", "solution", "attempts", "usage", "receipt", "session"}
KEYS |= {"error"}
CODE = "```python\ndef add(a, b):\n    return a + b\n```\n"


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (["   "], b"", "The question is empty"),
        (["-"], b"", "The question is empty"),
        (["-"], b"x" * 10_000_000, "has 10,000,000 characters; at most 1,000,000"),
        (["-"], b"\xff\xfe", "is not UTF-8"),
        (["add", "--model", "nosuch:thing"], b"", "named provider:model"),
        (["add", "--model", "qwen"], b"", "named provider:model"),
        (["add", "--model", "embedded:nosuch"], b"", "qwen2.5-coder-1.5b"),
        (["add", "--flow", "nosuch"], b"", "single, correct"),
        (["add", "--language", "klingon"], b"", "klingon"),
        (["add", "--example", "f(1 =="], b"", "f(1 =="),
        (["add", "--stand-in", "nosuch"], b"", "openai"),
        (["add", "--python", "/nosuch/python"], b"", "/nosuch/python"),
        (["add", "--attempts", "0"], b"", "--attempts"),
        (["add", "--nosuch"], b"", "assay ask --help"),
        ([], b"", "assay ask --help"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_ask_says_what_is_wrong(
    assay: Assay, script: Script, arguments: list[str], stdin: bytes, said: str, tmp_path: Path
) -> None:
    model = [] if "--model" in arguments else ["--model", script([CODE])]
    env = {"ASSAY_ALLOW_MODEL_CALLS": "true"}
    done = assay("ask", *arguments, *model, "--json", stdin=stdin, env=env)
    assert done.status == 2
    assert said in done.sentence
    assert done.json.keys() >= KEYS
    assert done.json["status"] == "failed"
    assert done.json["error"]["message"] == done.sentence.removeprefix("assay: ")
    assert done.json["session"] is None
    assert not list((tmp_path / "assay-data").glob("receipts/*"))


def test_a_missing_key_is_named(assay: Assay) -> None:
    env = {"ASSAY_ALLOW_MODEL_CALLS": "true"}
    done = assay("ask", "add", "--model", "openai:gpt-5", "--json", env=env)
    assert done.status == 3
    assert "Set OPENAI_API_KEY" in done.sentence
    assert done.json["error"]["kind"] == "model_refused"


def test_a_setting_that_cannot_be_used_is_named(assay: Assay, tmp_path: Path) -> None:
    done = assay("ask", "add", env={"ASSAY_ATTEMPTS": "many"})
    assert done.status == 2
    assert "ASSAY_ATTEMPTS" in done.sentence
    (tmp_path / "here" / "pyproject.toml").write_text("[tool.assay")
    done = assay("sessions", "--json")
    assert done.status == 2
    assert "pyproject.toml cannot be read" in done.sentence
    assert done.json["error"]["kind"] == "bad_input"


def test_a_command_that_there_is_not(assay: Assay) -> None:
    done = assay("aks", "add")
    assert done.status == 2
    assert "aks" in done.sentence
    assert "assay --help" in done.sentence
    done = assay("models")
    assert done.status == 2
    assert "assay models --help" in done.sentence
    done = assay()
    assert done.status == 0
    assert "ask" in done.out


def test_a_bug_ends_in_a_sentence_too(tmp_path: Path) -> None:
    """What nobody foresaw is no traceback either, and its details are kept."""
    program = (
        "import sys\n"
        "import assay.client\n"
        "def broken(self):\n"
        "    raise ZeroDivisionError('inside')\n"
        "assay.client.Assay.open_store = broken\n"
        "from assay.surfaces.cli import main\n"
        "sys.argv = ['assay', 'sessions', '--json']\n"
        "main()\n"
    )

    def run(**env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )

    done = run()
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "a bug of Assay's (ZeroDivisionError)" in done.stderr
    assert json.loads(done.stdout)["error"]["kind"] == "bug"
    kept = done.stderr.split("The details are in ")[1].split(";")[0]
    assert "ZeroDivisionError: inside" in Path(kept).read_text("utf-8")
    assert "Traceback" in run(ASSAY_DEBUG="1").stderr
