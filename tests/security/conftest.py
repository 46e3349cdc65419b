"""The sandbox with all its walls, and with some of them taken away."""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
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
    return partial(_attack, python, cgroups, prestarted=False)


@pytest.fixture(params=["started", "prestarted"])
def either_attack(
    python: Toolchain, cgroups: Cgroups | None, request: pytest.FixtureRequest
) -> Attack:
    """The same, in a container of its own or in that of a runner that waited for it."""
    return partial(_attack, python, cgroups, prestarted=request.param == "prestarted")


async def _attack(
    python: Toolchain,
    cgroups: Cgroups | None,
    code: str,
    *,
    prestarted: bool,
    without: tuple[str, ...] = (),
    limits: RunLimits | None = None,
    channel: bool = False,
    binds: tuple[tuple[str, str], ...] = (),
) -> Run:
    walls = replace(ALL_WALLS, **dict.fromkeys(without, False))
    sandbox = LinuxSandbox(*find_bubblewrap(), cgroups, walls)
    # What has to be read-only is there from the start, so no runner can be given it.
    support = {} if prestarted and "/assay" not in code else {"test.py": b"# a test of the user's"}
    job = Job(
        (python.executable, "attack.py"),
        replace(python, binds=(*python.binds, *binds)),
        {"attack.py": code.encode()},
        support=support,
        limits=limits or RunLimits(),
        channel=channel,
    )
    if not prestarted:
        return await sandbox.run(job)
    sandbox.open_pool()
    try:
        sandbox.expect(job)
        run = await sandbox.run(job)
    finally:
        await sandbox.aclose()
    assert run.prestarted == (not support)
    return run
