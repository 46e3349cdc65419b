"""Limits that the kernel holds for each process."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay.domain.limits import RunLimits
from assay.sandbox.rlimits import prlimit_options, resource_limits
from assay.sandbox.walls import ALL_WALLS


def test_every_limit_is_set() -> None:
    limits = RunLimits(cpu_seconds=1.5, file_bytes=1000, open_files=20, processes=5)
    wanted = resource_limits(limits, ALL_WALLS, memory=False)
    assert wanted[resource.RLIMIT_CPU] == (2, 3)
    assert wanted[resource.RLIMIT_FSIZE] == (1000, 1000)
    assert wanted[resource.RLIMIT_NOFILE] == (20, 20)
    assert wanted[resource.RLIMIT_CORE] == (0, 0)
    assert resource.RLIMIT_DATA not in wanted
    assert resource.RLIMIT_DATA in resource_limits(limits, ALL_WALLS, memory=True)


def test_a_wall_that_is_down_sets_none() -> None:
    walls = replace(
        ALL_WALLS, cpu_limit=False, file_limits=False, process_limit=False, memory_limit=False
    )
    wanted = resource_limits(RunLimits(), walls, memory=True)
    assert set(wanted) == {resource.RLIMIT_CORE, resource.RLIMIT_STACK}


def test_none_is_higher_than_what_this_process_may_have() -> None:
    """Who was given little, by `ulimit` say, can hand on no more."""
    code = (
        "import resource as r\n"
        "from assay.domain.limits import RunLimits\n"
        "from assay.sandbox.rlimits import resource_limits\n"
        "from assay.sandbox.walls import ALL_WALLS\n"
        "r.setrlimit(r.RLIMIT_FSIZE, (5000, 5000))\n"
        "print(resource_limits(RunLimits(), ALL_WALLS, memory=False)[r.RLIMIT_FSIZE])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(5000, 5000)\n"


def test_older_kernels_count_the_users_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def limit() -> int:
        return resource_limits(RunLimits(), ALL_WALLS, memory=False)[resource.RLIMIT_NPROC][0]

    with subprocess.Popen(["sleep", "100"], user=54321 if os.geteuid() == 0 else None) as other:
        monkeypatch.setattr(os, "geteuid", lambda: Path(f"/proc/{other.pid}").stat().st_uid)
        assert limit() == 66
        monkeypatch.setattr(platform, "release", lambda: "5.10.0-8-amd64")
        assert limit() > 66
        other.kill()


def test_options_of_prlimit() -> None:
    limits = {resource.RLIMIT_CPU: (2, 3), resource.RLIMIT_NPROC: (9, 9)}
    assert prlimit_options(limits) == ["--cpu=2:3", "--nproc=9:9"]
