"""The command as a person uses it: a process of its own, with its own home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

SECONDS = 100
"""A bound against hanging, far above what a command takes."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on stdout."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    @property
    def sentence(self) -> str:
        """The one sentence on stderr that says what is wrong."""
        said = [line for line in self.err.splitlines() if line.startswith("assay: ")]
        assert len(said) == 1, self.err
        return said[0]


Assay = Callable[..., Done]

COMMAND = [sys.executable, "-m", "assay"]

_ORDINARY = """
import ctypes, os, sys
prctl, PR_CAPBSET_DROP = ctypes.CDLL(None).prctl, 24
for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    if os.geteuid() == 0 and prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
        sys.exit("root cannot give its power over permissions away here")
os.execv(sys.executable, [sys.executable, "-m", "assay", *sys.argv[1:]])
"""


@pytest.fixture
def ordinary() -> list[str]:
    """The command for whom permissions of files count, root or not."""
    return [sys.executable, "-c", _ORDINARY]


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    """Run `assay` with arguments in an empty folder that stays the same during a test."""
    folder = tmp_path / "here"
    folder.mkdir()

    def run(
        *arguments: str | Path,
        stdin: str | bytes = b"",
        env: dict[str, str] | None = None,
        cwd: Path = folder,
        command: Sequence[str] = COMMAND,
        stdout: int | IO[Any] = subprocess.PIPE,
        seconds: float = SECONDS,
    ) -> Done:
        done = subprocess.run(
            [*command, *map(str, arguments)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            timeout=seconds,
            check=False,
        )
        result = Done(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())
        assert "Traceback (most recent call last)" not in result.err, result.err
        return result

    return run


@pytest.fixture
def script(tmp_path: Path) -> Callable[[Sequence[str | dict[str, Any]]], str]:
    """Write a script of replies and return the model's name for it."""

    def write(replies: Sequence[str | dict[str, Any]]) -> str:
        path = tmp_path / "replies.jsonl"
        lines = [{"text": reply} if isinstance(reply, str) else reply for reply in replies]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return f"scripted:{path}"

    return write
