"""The wheel, installed with pip alone into an environment of its own, works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that has to succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_a_wheel_installs_and_asks(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", tmp_path, cwd=ROOT)
    (wheel,) = tmp_path.glob("assay-*.whl")
    home = tmp_path / "env"
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=tmp_path)
    python = home / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", wheel, cwd=tmp_path)
    assay = home / "bin" / "assay"
    found = json.loads(run(assay, "doctor", "--json", cwd=tmp_path).stdout)
    sandbox = {one["name"]: one["ok"] for one in found["sandbox and languages"]}
    assert sandbox["sandbox"]
    script = tmp_path / "replies.jsonl"
    reply = "```python\ndef add(a, b):\n    return a + b\n```"
    script.write_text(json.dumps({"text": reply}) + "\n", "utf-8")
    example = ("--example", "add(1, 2) == 3")
    done = run(assay, "ask", "Add.", *example, "--model", f"scripted:{script}", cwd=tmp_path)
    assert done.stdout == "def add(a, b):\n    return a + b\n"
    assert "VERIFIED" in done.stderr
