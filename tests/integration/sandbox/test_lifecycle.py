"""Whatever happens to Assay, no process of a run outlives it."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import pytest
from tests.processes import open_descriptors, processes_with, until

from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.errors import BadInput, NoSandbox, UnsafePath
from assay.sandbox import cgroups as cgroups_module
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.cgroups import Cgroup, Cgroups, find_cgroups
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.guardian import MARK
from assay.sandbox.languages import get_language
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Ending, Job, Sandbox
from assay.sandbox.toolchains import find_toolchain
from assay.sandbox.tree import Tree, ended

OWNER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.cgroups import find_cgroups
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.guardian import MARK
from assay.sandbox.languages import get_language
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Job
from assay.sandbox.toolchains import find_toolchain
from assay.sandbox.walls import ALL_WALLS

mark, folder, dies = sys.argv[1:]
python = find_toolchain(get_language("python"), Grants(), Path(folder))
walls = replace(ALL_WALLS, dies_with_parent=dies == "yes")
sandbox = LinuxSandbox(*find_bubblewrap(), find_cgroups(), walls)
job = Job((python.executable, "-c", "import time; time.sleep(100)"), python, env={"MARK": mark},
    limits=RunLimits(wall_seconds=100))
print("ready", flush=True)
asyncio.run(sandbox.run(job))
"""


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def sleeper(mark: str, tmp_path: Path) -> Job:
    python = find_toolchain(get_language("python"), Grants(), tmp_path)
    code = b"import subprocess\nsubprocess.run(['sleep', '100'])"
    limits = RunLimits(wall_seconds=100)
    return Job(
        (python.executable, "a.py"), python, {"a.py": code}, env={"MARK": mark}, limits=limits
    )


async def test_cancelling_ends_the_whole_tree_first(
    sandbox: Sandbox, sleeper: Job, mark: str
) -> None:
    run = asyncio.create_task(sandbox.run(sleeper))
    await until(lambda: len(processes_with(mark)) >= 2)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert processes_with(mark) == []


async def test_cancelling_at_once_leaves_nothing(sandbox: Sandbox, sleeper: Job, mark: str) -> None:
    for delay in (0.0, 0.001, 0.003, 0.01, 0.02):
        run = asyncio.create_task(sandbox.run(sleeper))
        await asyncio.sleep(delay)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert processes_with(mark) == []


@pytest.mark.parametrize("dies", ["yes", "no"])
async def test_killing_assay_kills_its_runs(mark: str, tmp_path: Path, dies: str) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, mark, tmp_path, dies]) as owner:  # noqa: ASYNC220
        # bubblewrap, before it becomes the program, has the mark as well.
        await until(lambda: len(processes_with(mark)) >= 1)
        owner.kill()
    if dies == "yes":
        await until(lambda: not processes_with(mark))
    else:
        # Without this wall it lives on: so the test above can fail.
        left = processes_with(mark)
        assert left
        for pid in left:
            os.kill(pid, signal.SIGKILL)


async def test_killing_assay_at_any_moment_leaves_nothing(mark: str, tmp_path: Path) -> None:
    def left() -> list[str]:
        """Processes that belong to `owner`, or came from it: even what is not yet a program."""
        return [
            pid for pid in map(str, processes_with(f"{MARK}={owner.pid}-")) if pid != str(owner.pid)
        ]

    def left_groups() -> list[Path]:
        return [group for parent in parents for group in parent.glob(f"assay-{owner.pid}-*")]

    cgroups = find_cgroups()
    parents = set(cgroups.parents.values()) if cgroups else set()
    for delay in (0.0, 0.002, 0.004, 0.006, 0.008, 0.012, 0.016, 0.03):
        command = [sys.executable, "-c", OWNER, mark, str(tmp_path), "yes"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as owner:  # noqa: ASYNC220
            assert owner.stdout
            assert owner.stdout.readline() == b"ready\n"
            await asyncio.sleep(delay)
            owner.kill()
        await until(lambda: not processes_with(mark) and not left() and not left_groups())


async def test_many_at_once(sandbox: Sandbox, sleeper: Job) -> None:
    def prints(number: int) -> Job:
        return replace(sleeper, files={"a.py": f"print({number})".encode()})

    runs = await asyncio.gather(*(sandbox.run(prints(number)) for number in range(12)))
    assert [run.stdout.text for run in runs] == [f"{number}\n" for number in range(12)]


async def test_runs_do_not_meet(sandbox: Sandbox, sleeper: Job) -> None:
    code = b"""
import os
print(os.listdir("/tmp"), os.listdir("."))
open("/tmp/x", "w"), open("x", "w")
"""
    job = replace(sleeper, files={"a.py": code})
    for _ in range(2):
        run = await sandbox.run(job)
        assert run.stdout.text == "[] ['a.py']\n"


async def test_no_descriptor_is_left_open(sandbox: Sandbox, sleeper: Job) -> None:
    job = replace(sleeper, files={"a.py": b"print(1)"}, channel=True)
    await sandbox.run(job)
    before = open_descriptors()
    for _ in range(3):
        await sandbox.run(job)
    assert open_descriptors() == before


async def test_files_outside_the_working_folder_are_refused(sandbox: Sandbox, sleeper: Job) -> None:
    for path in ("/etc/x", "../x", "a/../../x", "", "a\0b"):
        with pytest.raises(UnsafePath):
            await sandbox.run(replace(sleeper, files={path: b""}))


async def test_too_many_and_too_large_files_are_refused(sandbox: Sandbox, sleeper: Job) -> None:
    with pytest.raises(BadInput, match="at most"):
        await sandbox.run(replace(sleeper, files={str(n): b"" for n in range(500)}))
    limits = RunLimits(file_bytes=1000)
    with pytest.raises(BadInput, match="file_bytes"):
        await sandbox.run(replace(sleeper, files={"a": b"x" * 1001}, limits=limits))


async def test_a_setup_that_fails_says_so(sleeper: Job) -> None:
    sandbox = LinuxSandbox(*find_bubblewrap(), find_cgroups())
    binds = (*sleeper.toolchain.binds, ("/no/such/folder", "/x"))
    toolchain = replace(sleeper.toolchain, binds=binds)
    with pytest.raises(NoSandbox, match="assay doctor"):
        await sandbox.run(replace(sleeper, toolchain=toolchain))


async def test_a_bubblewrap_that_fails_at_once_says_so(sleeper: Job, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no user namespaces >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(NoSandbox, match=r"assay doctor.*no user namespaces"):
        await LinuxSandbox(str(broken), "0", find_cgroups()).run(sleeper)


async def test_peak_memory_and_processor_time_are_told(sandbox: Sandbox, sleeper: Job) -> None:
    code = b"""
import time
b = bytearray(100_000_000)
while time.process_time() < 0.5:
    pass
"""
    run = await sandbox.run(replace(sleeper, files={"a.py": code}))
    assert run.ending is Ending.EXITED
    assert run.peak_memory_bytes
    assert 100_000_000 < run.peak_memory_bytes < 300_000_000
    assert 0.3 < run.cpu_seconds < 3


def test_folders_of_the_machine_are_not_taken_for_those_of_a_run() -> None:
    # A process that has no root of its own yet, as bubblewrap's while it sets the sandbox up.
    with Descriptors() as descriptors, subprocess.Popen(["sleep", "100"]) as process:
        tree = Tree(process, process.pid, descriptors, descriptors.pipe_from_child()[0])
        before = open_descriptors()
        assert tree.open_folders(["/tmp", "/dev/shm"]) == []
        # It is looked for them every millisecond, and a busy machine takes many.
        assert open_descriptors() == before
        tree.kill()


async def test_an_end_is_seen_after_its_time_has_passed() -> None:
    # As when the event loop was held up by a database that another program had locked.
    with subprocess.Popen(["true"]) as process:  # noqa: ASYNC220
        handle = os.pidfd_open(process.pid)
        assert select.select([handle], [], [], 60)[0]
        assert await ended(handle, 0)
        os.close(handle)


async def test_a_run_that_cannot_be_held_does_not_start(
    tmp_path: Path, sleeper: Job, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(Cgroup, "add", refuse)
    monkeypatch.setattr(cgroups_module, "REMOVE_SECONDS", 0.0)  # these are no real groups
    groups = Cgroups(2, {"memory": tmp_path, "pids": tmp_path})
    ours = f"{MARK}={os.getpid()}-"
    before = processes_with(ours)
    with pytest.raises(OSError, match="no"):
        await LinuxSandbox(*find_bubblewrap(), groups).run(sleeper)
    assert processes_with(ours) == before
    assert processes_with(mark) == []


async def test_root_without_any_hold_on_processes_runs_nothing(
    sleeper: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    hidden = replace(sleeper.toolchain, binds=(("/no/such", "/no/such"),))
    with pytest.raises(NoSandbox, match="ordinary user"):
        await LinuxSandbox(*find_bubblewrap(), None).run(replace(sleeper, toolchain=hidden))


def test_a_guardian_gives_up_what_cannot_be_removed(tmp_path: Path) -> None:
    (tmp_path / "group" / "held").mkdir(parents=True)
    code = "from assay.sandbox import guardian as g; g.LONGEST_SECONDS = 0.5; g.main()"
    command = [sys.executable, "-c", code, "no-such-mark", str(tmp_path / "group")]
    assert (
        subprocess.run(command, stdin=subprocess.DEVNULL, timeout=60, check=False).returncode == 0
    )
