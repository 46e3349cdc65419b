"""One sandbox over many calls, with what is ready in it."""

from __future__ import annotations

from typing import Any

import pytest

from assay import Assay, Subject
from assay.domain.solution import Solution, SolutionFile
from assay.domain.verdict import Outcome
from assay.errors import BadInput
from assay.sandbox import pool
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Job, Run
from assay.sandbox.runner import Runner
from assay.settings import read_settings


def subject(code: str) -> Subject:
    files = (SolutionFile(path="solution.py", code=code),)
    return Subject(solution=Solution(language="python", files=files))


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """What has been run, as it is run."""
    seen: list[Run] = []
    real = LinuxSandbox.run

    async def run(self: LinuxSandbox, job: Job) -> Run:
        seen.append(await real(self, job))
        return seen[-1]

    monkeypatch.setattr(LinuxSandbox, "run", run)
    return seen


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Runner]:
    """The Pythons that are started to wait."""
    seen: list[Runner] = []

    def start(*arguments: Any) -> Runner:
        seen.append(Runner(*arguments))
        return seen[-1]

    monkeypatch.setattr(pool, "Runner", start)
    return seen


async def test_programs_find_pythons_that_wait(runs: list[Run]) -> None:
    async with Assay() as assay:
        reports = [await assay.check(subject(f"print({n})\n")) for n in range(4)]
    assert all(report.verdicts[-1].outcome is Outcome.PASSED for report in reports)
    assert [run.stdout.text for run in runs] == ["0\n", "1\n", "2\n", "3\n"]
    assert all(run.prestarted for run in runs)


async def test_a_single_check_starts_none_that_it_does_not_use(
    runs: list[Run], started: list[Runner]
) -> None:
    report = await Assay().check(subject("import json\nprint(1)\n"))
    assert [one.outcome for one in report.verdicts] == [Outcome.PASSED] * 2
    assert len(started) == sum(run.prestarted for run in runs)


async def test_what_is_to_be_imported_is_there(runs: list[Run]) -> None:
    code = "import sys\nprint('email.mime.text' in sys.modules, 'unittest' in sys.modules)\n"
    async with Assay(packages_warm="email.mime.text, decimal") as assay:
        for _ in range(2):
            await assay.check(subject(code))
    assert [run.stdout.text for run in runs[-3:]][-1] == "True False\n"
    assert runs[-1].prestarted


def test_what_is_no_module_is_refused() -> None:
    assert read_settings(packages_warm="numpy, a.b").packages_warm == ("numpy", "a.b")
    with pytest.raises(BadInput, match=r"packages_warm cannot be used \('numpy>=2' is not"):
        read_settings(packages_warm="numpy>=2")
