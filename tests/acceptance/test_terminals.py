"""Terminals, pipes and locales of every kind: the same answer, and nothing obeyed."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

CODE = "def add(a, b):\n    return a + b\n"
REPLY = f"```python\n{CODE}```\n"
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
SGR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(
    arguments: Sequence[str | Path], columns: int = 80, env: dict[str, str] | None = None
) -> tuple[int, str]:
    """Run the command on a pseudo-terminal; return its status and all that it was sent."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *map(str, arguments)],
        stdin=other,
        stdout=other,
        stderr=other,
        env={**os.environ, "TERM": "xterm-256color", **(env or {})},
        start_new_session=True,
    )
    os.close(other)
    pieces = []
    try:
        while select.select([main], [], [], 60)[0]:
            pieces.append(os.read(main, 65536))
    except OSError:
        pass  # that is how a terminal ends
    finally:
        os.close(main)
    return process.wait(60), b"".join(pieces).decode("utf-8")


def hostile_session(script: Script, tmp_path: Path) -> list[str | Path]:
    """A session whose model, file names and program all send control sequences."""
    attached = tmp_path / f"rows{HOSTILE}.csv"
    attached.write_text("1,2\n")
    code = f"# {HOSTILE}\nprint({HOSTILE!r})\nraise ValueError({HOSTILE!r})\n"
    model = script([f"{HOSTILE}\n```python\n{code}```\n"])
    return ["ask", f"Print {HOSTILE}", "--model", model, "--attach", attached, "--attempts", "1"]


def test_nothing_from_outside_is_obeyed(script: Script, tmp_path: Path) -> None:
    status, shown = on_terminal(hostile_session(script, tmp_path))
    assert status == 1
    assert r"\x1b]0;owned\x07" in shown
    for sequence in ("\x1b]", "\x07", "\x1b[2J\x9b", "\x9b", "\u202e"):
        assert sequence not in shown
    session = re.search(r"session (\d{8}-\w+)", shown)
    assert session
    for command in (["show", session[1]], ["show", session[1], "--json"], ["sessions"]):
        status, shown = on_terminal(command)
        assert status == 0
        assert not re.search("\x1b\\]|\x07|\x9b|\u202e|\x1b\\[2J", shown)


def test_prose_is_not_obeyed_either(script: Script) -> None:
    status, shown = on_terminal(
        ["ask", "Why?", "--answer", "prose", "--quiet", "--model", script([f"Because {HOSTILE}."])]
    )
    assert status == 0
    assert r"Because \x1b]0;owned" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_no_sequences_where_none_are_wanted(script: Script, env: dict[str, str]) -> None:
    model = script([REPLY.replace("+", "-"), REPLY])
    ask = ["ask", "Add.", "--example", "add(1, 2) == 3", "--model", model]
    for arguments in (ask, ["sessions"], ["doctor"], ["ask", "--help"], ["ask", "--nosuch"]):
        _, shown = on_terminal(arguments, env=env)
        assert shown
        assert "\x1b" not in shown


def test_colours_and_a_narrow_terminal(script: Script) -> None:
    model = script([REPLY.replace("+", "-"), REPLY])
    status, shown = on_terminal(
        ["ask", "Add.", "--example", "add(1, 2) == 3", "--model", model], columns=20
    )
    assert status == 0
    assert SGR.search(shown)
    assert "return a + b" in SGR.sub("", shown)
    session = shown.split("session ")[1].split()[0]
    session = SGR.sub("", session)
    status, shown = on_terminal(["sessions"], columns=60)
    assert status == 0
    assert session in SGR.sub("", shown)
    status, shown = on_terminal(["sessions"], columns=20)
    assert status == 0
    assert "Traceback" not in shown
    for command in (["doctor"], ["--help"], ["ask", "--help"]):
        status, shown = on_terminal(command, columns=20)
        assert status == 0
        assert "Traceback" not in shown


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["C", "ASCII"],
)
def test_locales_that_are_not_utf8(
    assay: Assay, script: Script, tmp_path: Path, locale: dict[str, str]
) -> None:
    """Questions, names of files, code and what programs print are UTF-8 all the same."""
    word = "grüße_日本"
    attached = tmp_path / f"{word}.txt"
    attached.write_text(word)
    out = tmp_path / f"out_{word}"
    code = f'def {word}():\n    return open("{word}.txt", encoding="utf-8").read()\n'
    model = script([{"text": f"```python\n{code}```\n", "expect": f"Read {word}."}])
    done = assay(
        *("ask", f"Read {word}.", "--attach", attached, "--model", model, "-o", out),
        *("--example", f"{word}() == '{word}'"),
        env=locale,
    )
    assert done.status == 0, done.err
    assert done.out == code
    assert [path.read_text("utf-8") for path in out.iterdir()] == [code]
    session = done.err.split("session ")[1].split()[0]
    shown = assay("show", session, env=locale)
    assert f"Read {word}." in shown.out
    assert assay("sessions", "--json", env=locale).json["sessions"][0]["title"] == f"Read {word}."
    missing = assay("check", f"{word}.py", env=locale)
    assert missing.status == 2
    assert "does not exist" in missing.sentence


def test_closed_streams(assay: Assay, script: Script, tmp_path: Path) -> None:
    model = script([REPLY])
    python = f"{sys.executable} -m assay"

    def shell(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False
        )

    done = shell(f"{python} ask - --model '{model}' <&-")
    assert done.returncode == 2
    assert "The question is empty" in done.stderr
    done = shell(f"{python} ask Add. --model '{model}' -o out >&-")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "solution.py").read_text() == CODE
    done = shell(f"{python} ask Add. --model '{model}' 2>&-")
    assert done.returncode == 0
    assert done.stdout == CODE
    done = shell(f"{python} ask Add. --model '{model}' <&- >&- 2>&-")
    assert done.returncode == 0
    assert len(assay("sessions", "--json").json["sessions"]) == 3


def test_readers_that_leave_early(assay: Assay, script: Script, tmp_path: Path) -> None:
    """The session goes on to its end, and the files are written."""
    long = "".join(f"x{n} = {n}\n" for n in range(20_000))
    model = script([f"```python\n{long}```\n"])
    for number, stream in enumerate(("stdout", "stderr")):
        out = tmp_path / f"out{number}"
        reading, writing = os.pipe()
        os.close(reading)
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(
            [sys.executable, "-m", "assay", "ask", "Numbers.", "--model", model, "-o", str(out)],
            cwd=tmp_path,
            **{**streams, stream: writing},
        )
        os.close(writing)
        told, said = process.communicate(timeout=60)
        assert b"Traceback" not in (said or b"")
        assert process.returncode == (1 if stream == "stdout" else 0)
        assert (out / "solution.py").read_text() == long
        if stream == "stderr":
            assert told.decode() == long
    listed = json.loads(assay("sessions", "--json").out)["sessions"]
    assert [one["status"] for one in listed] == ["ran", "ran"]
