"""Assay, through its public API: passed is what it calls verified."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

from assay import Assay, Subject
from assay.domain.answer import Status
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import TestFile
from assay.sandbox.languages import get_language
from bench.peers.serving import Case, answer_cases


async def main() -> None:
    """Check each case; all are checked in one sandbox."""
    usual = get_language("python").limits
    async with Assay() as assay:

        async def judge(case: Case) -> bool:
            solution = Solution(
                language="python", files=(SolutionFile(path="solution.py", code=case.code),)
            )
            subject = Subject(
                solution=solution,
                tests=(TestFile(name="tests.py", source=case.tests),),
                run_limits=usual.model_copy(update={"wall_seconds": case.seconds}),
            )
            report = await assay.check(subject)
            return report.judgement.status is Status.VERIFIED

        await answer_cases(version("assay"), judge)


if __name__ == "__main__":
    asyncio.run(main())
