"""smolagents' interpreter of Python, with leave to import what the ordinary programs do."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version

from smolagents.local_python_executor import LocalPythonExecutor

from bench.peers.serving import Case, answer_cases

MODULES = sys.argv[2:]


async def judge(case: Case) -> bool:
    """Interpret the program in a new interpreter; passed is that no error came out."""
    executor = LocalPythonExecutor(MODULES, timeout_seconds=case.seconds)
    executor.send_tools({})
    executor(case.program)
    return True


if __name__ == "__main__":
    asyncio.run(answer_cases(version("smolagents"), judge))
