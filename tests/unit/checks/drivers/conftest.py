"""A solution in a process of its own, at the other end of a socket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import assay.checks
from assay.checks.drivers.assay_link.remote import Remote, connect

DRIVERS = Path(assay.checks.__file__).parent / "drivers"
SECONDS = 60

Link = Callable[[str], Remote]
Judge = Callable[[str, str], Remote]


@pytest.fixture
def link(tmp_path: Path) -> Iterator[Link]:
    """Start a solution; the tests' end of the link comes back."""
    processes: list[subprocess.Popen[bytes]] = []
    remotes: list[Remote] = []

    def start(code: str) -> Remote:
        folder = tmp_path / f"solution{len(processes)}"
        folder.mkdir()
        (folder / "solution.py").write_text(code, "utf-8")
        ours, theirs = socket.socketpair()
        processes.append(
            subprocess.Popen(
                [sys.executable, DRIVERS / "solution_side.py"],
                cwd=folder,
                env={**os.environ, "ASSAY_LINK": str(theirs.fileno())},
                pass_fds=[theirs.fileno()],
            )
        )
        theirs.close()
        remote = connect(ours.detach())
        remote.allow(SECONDS)
        remotes.append(remote)
        return remote

    yield start
    for remote in reversed(remotes):
        remote.close()
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def judge(link: Link) -> Judge:
    """Run plain asserts against a solution that is loaded."""

    def run(code: str, tests: str) -> Remote:
        remote = link(code)
        remote.load("solution")
        names: dict[str, Any] = remote.names("solution")
        finder = remote.finder(["solution"])
        sys.meta_path.insert(0, finder)
        try:
            exec(compile(tests, "<tests>", "exec", dont_inherit=True), names)
        finally:
            sys.meta_path.remove(finder)
            sys.modules.pop("solution", None)
        remote.finish()
        return remote

    return run
