"""Control groups: swept when their owner is dead, and left alone when that cannot be seen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.sandbox.cgroups import Cgroups, find_cgroups
from assay.sandbox.languages import get_language
from assay.sandbox.protocol import Job, Sandbox
from assay.sandbox.toolchains import find_toolchain

PID_NAMESPACE = Path("/proc/self/ns/pid").stat().st_ino


@pytest.fixture
def cgroups() -> Cgroups:
    found = find_cgroups()
    if found is None:
        pytest.skip("no cgroups can be made here; the other tests show what stands in for them")
    return found


async def test_groups_of_dead_owners_are_swept(cgroups: Cgroups) -> None:
    with subprocess.Popen(["sleep", "100"]) as stray:  # noqa: ASYNC220
        stale = {parent / f"assay-1-0-1.{PID_NAMESPACE}" for parent in cgroups.parents.values()}
        for folder in stale:
            folder.mkdir()
            (folder / "cgroup.procs").write_text(str(stray.pid))
        assert find_cgroups() is not None
        assert stray.wait(10) == -signal.SIGKILL
        assert not [folder for folder in stale if folder.exists()]


def test_groups_with_names_of_another_form_are_left_alone(tmp_path: Path) -> None:
    others = [tmp_path / f"assay-{name}.{PID_NAMESPACE}" for name in ("x", "1-0", "a-b-c")]
    dead = tmp_path / f"assay-1-0-1.{PID_NAMESPACE}"
    for folder in (*others, dead):
        folder.mkdir()
    Cgroups(2, {"memory": tmp_path}).sweep()
    assert sorted(tmp_path.iterdir()) == sorted(others)


def test_groups_of_owners_in_another_pid_namespace_are_left_alone(cgroups: Cgroups) -> None:
    group = cgroups.create(RunLimits())
    sweep = "from assay.sandbox.cgroups import find_cgroups; print(find_cgroups() is not None)"
    try:
        done = subprocess.run(
            ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", sweep],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"no pid namespace can be made here: {done.stderr}")
        assert done.stdout == "True\n"
        assert all(folder.is_dir() for folder in group.folders.values())
    finally:
        group.remove()


async def test_no_group_is_left(cgroups: Cgroups, sandbox: Sandbox, tmp_path: Path) -> None:
    own = f"assay-{os.getpid()}-*"
    python = find_toolchain(get_language("python"), Grants(), tmp_path)
    await sandbox.run(Job((python.executable, "a.py"), python, {"a.py": b"print(1)"}))
    assert [folder for parent in cgroups.parents.values() for folder in parent.glob(own)] == []
