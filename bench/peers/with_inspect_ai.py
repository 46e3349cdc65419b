"""inspect-ai's local sandbox, used as its own HumanEval scorer uses one: by the exit status."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version

from inspect_ai.util._sandbox.local import LocalSandboxEnvironment

from bench.peers.serving import Case, answer_cases

PYTHON = sys.argv[2]


async def judge(case: Case) -> bool:
    """Run the program in a sandbox of its own, as each sample has one."""
    made = await LocalSandboxEnvironment.sample_init("case", None, {})
    sandbox = made["default"]
    try:
        await sandbox.write_file("program.py", case.program)
        done = await sandbox.exec([PYTHON, "-I", "program.py"], timeout=case.seconds)
        passed: bool = done.success
    finally:
        await LocalSandboxEnvironment.sample_cleanup("case", None, made, interrupted=False)
    return passed


if __name__ == "__main__":
    asyncio.run(answer_cases(version("inspect-ai"), judge))
