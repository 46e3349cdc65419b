"""Plain Python, the base of all comparisons: no sandbox, no limits but time."""

from __future__ import annotations

import asyncio
import platform
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.peers.serving import Case, answer_cases

PYTHON = sys.argv[2]


def run(case: Case) -> bool:
    """Run the program as a file; passed is exit status 0."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(case.program, "utf-8")
        done = subprocess.run(
            (PYTHON, "-I", path.name),
            cwd=folder,
            capture_output=True,
            timeout=case.seconds,
            check=False,
        )
    return done.returncode == 0


async def judge(case: Case) -> bool:
    """The same, for `answer_cases`, which has nothing to do meanwhile."""
    return run(case)


if __name__ == "__main__":
    asyncio.run(answer_cases(platform.python_version(), judge))
