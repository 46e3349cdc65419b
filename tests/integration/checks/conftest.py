"""A real sandbox, and a short way to check a program in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from assay.checks.runner import run_checks
from assay.checks.subject import Subject
from assay.domain.limits import MIB, RunLimits
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Attachment, Grants, TestFile
from assay.domain.verdict import CheckName, Verdict
from assay.sandbox.opening import open_sandbox
from assay.sandbox.protocol import Sandbox

Verdicts = dict[str, Verdict]


class Check(Protocol):
    """Checks a program of one or more files."""

    def __call__(
        self,
        code: str | dict[str, str],
        *,
        tests: str | Sequence[str] | None = None,
        tests_name: str = "test_it.py",
        examples: Sequence[str] = (),
        language: str = "python",
        attachments: dict[str, str] | None = None,
        grants: Grants | None = None,
        wall_seconds: float = 5,
    ) -> Verdicts: ...


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return open_sandbox("auto")


@pytest.fixture(scope="session")
def packages_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared, so that packages are installed for the runs once."""
    return tmp_path_factory.mktemp("packages")


@pytest.fixture
def check(sandbox: Sandbox, packages_folder: Path) -> Callable[..., Verdicts]:
    main = {"python": "solution.py", "javascript": "main.js", "bash": "main.sh"}

    def run(
        code: str | dict[str, str],
        *,
        tests: str | Sequence[str] | None = None,
        tests_name: str = "test_it.py",
        examples: Sequence[str] = (),
        language: str = "python",
        attachments: dict[str, str] | None = None,
        grants: Grants | None = None,
        wall_seconds: float = 5,
    ) -> Verdicts:
        files = {main[language]: code} if isinstance(code, str) else code
        stem, _, suffix = tests_name.rpartition(".")
        sources = (tests,) if isinstance(tests, str) else tuple(tests or ())
        subject = Subject(
            solution=Solution(
                language=language,
                files=tuple(SolutionFile(path=path, code=text) for path, text in files.items()),
            ),
            tests=tuple(
                TestFile(name=f"{stem}_{number}.{suffix}" if number else tests_name, source=source)
                for number, source in enumerate(sources)
            ),
            examples=tuple(examples),
            attachments=tuple(
                Attachment(name=name, content=text.encode())
                for name, text in (attachments or {}).items()
            ),
            grants=grants or Grants(),
            run_limits=RunLimits(wall_seconds=wall_seconds, memory_bytes=512 * MIB),
        )
        started: list[CheckName] = []
        shown: list[Verdict] = []
        verdicts = asyncio.run(
            run_checks(subject, sandbox, packages_folder, started.append, shown.append)
        )
        assert shown == list(verdicts)
        assert set(started) <= {verdict.check for verdict in verdicts}
        return {verdict.check.value: verdict for verdict in verdicts}

    return run
