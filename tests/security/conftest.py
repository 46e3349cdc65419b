"""The sandbox with all its walls, and with some of them taken away."""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.cgroups import Cgroups, find_cgroups
from assay.sandbox.languages import get_language
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Job, Run, Toolchain
from assay.sandbox.toolchains import find_toolchain
from assay.sandbox.walls import ALL_WALLS

Attack = Callable[..., Awaitable[Run]]


@pytest.fixture(params=["with cgroups", "without cgroups"])
def cgroups(request: pytest.FixtureRequest) -> Cgroups | None:
    """What holds memory and processes: where cgroups can be made, both ways are tried."""
    return find_cgroups() if request.param == "with cgroups" else None


@pytest.fixture
def python(cgroups: Cgroups | None, tmp_path: Path) -> Toolchain:
    """Our own; for root without cgroups the system's, which another user can read."""
    grants = Grants()
    if os.geteuid() == 0 and cgroups is None:
        grants = Grants(python=shutil.which("python3", path="/usr/bin:/bin"))
    return find_toolchain(get_language("python"), grants, tmp_path)


@pytest.fixture
def attack(python: Toolchain, cgroups: Cgroups | None) -> Attack:
    """Runs a hostile Python program, perhaps without some walls."""

    async def run(
        code: str,
        *,
        without: tuple[str, ...] = (),
        limits: RunLimits | None = None,
        channel: bool = False,
        binds: tuple[tuple[str, str], ...] = (),
    ) -> Run:
        walls = replace(ALL_WALLS, **dict.fromkeys(without, False))
        sandbox = LinuxSandbox(*find_bubblewrap(), cgroups, walls)
        job = Job(
            (python.executable, "-I", "attack.py"),
            replace(python, binds=(*python.binds, *binds)),
            {"attack.py": code.encode()},
            support={"test.py": b"# a test of the user's"},
            limits=limits or RunLimits(),
            channel=channel,
        )
        return await sandbox.run(job)

    return run
