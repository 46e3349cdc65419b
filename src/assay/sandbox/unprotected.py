"""No sandbox: a plain child process, for those who say so. Nothing protects the machine."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from assay.sandbox.bubblewrap import run_environment, safe_path
from assay.sandbox.collecting import collect
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.endings import read_ending
from assay.sandbox.launch import run_alone, run_linked
from assay.sandbox.output import Channel, Collector
from assay.sandbox.protocol import CHANNEL_LIMIT, SUPPORT, Ending, Job, Run
from assay.sandbox.pump import Pump
from assay.sandbox.stand_ins import with_stand_ins
from assay.sandbox.tree import ended


class UnprotectedSandbox:
    """Runs jobs in a folder of their own with limits of time and output, and nothing else.

    What a program starts in a session of its own outlives it.
    """

    @property
    def description(self) -> str:
        """What stands in the receipt."""
        return "none: nothing protects the machine; only time and output are limited"

    async def run(self, job: Job) -> Run:
        """Run `job` to its end or its time limit; in its command, SUPPORT means the real folder."""
        return await run_alone(_launch, job)

    async def run_linked(self, tester: Job, solution: Job) -> tuple[Run, Run]:
        """Run both with a socket between them; see `Sandbox.run_linked`."""
        return await run_linked(_launch, tester, solution)

    def open_pool(self, modules: tuple[str, ...] = (), *, refills: bool = True) -> None:
        """Nothing is started before its job."""

    def expect(self, job: Job) -> None:
        """Nothing can be made ready."""

    async def aclose(self) -> None:
        """Nothing is kept between runs."""


@asynccontextmanager
async def _launch(job: Job, inherited: Mapping[str, int]) -> AsyncIterator[_Process]:
    with _Process(with_stand_ins(job), inherited) as process:
        yield process


class _Process:
    """One job as a child process in a folder of its own."""

    def __init__(self, job: Job, inherited: Mapping[str, int]) -> None:
        self._job = job
        self._inherited = inherited
        self._stopped: Ending | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True)
            )
            descriptors = stack.enter_context(Descriptors())
            self._start(Path(folder), descriptors)
            self._cleanup = stack.pop_all()
        return self

    def _start(self, folder: Path, descriptors: Descriptors) -> None:
        job = self._job
        self._stdout = Pump(Collector(job.limits.output_bytes), descriptors)
        self._stderr = Pump(Collector(job.limits.output_bytes), descriptors)
        self._channel = Pump(Channel(CHANNEL_LIMIT), descriptors, inherited=True)
        env = _environment(job, folder)
        if job.channel:
            env["ASSAY_CHANNEL"] = str(self._channel.theirs)
        for name, descriptor in self._inherited.items():
            descriptors.lend(descriptor)
            env[name] = str(descriptor)
        work, support = _write(job, folder)
        self._work = descriptors.own(os.open(work, os.O_PATH | os.O_CLOEXEC))
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            _command(job, support),
            stdin=descriptors.stdin(job.stdin),
            stdout=self._stdout.theirs,
            stderr=self._stderr.theirs,
            env=env,
            cwd=work,
            pass_fds=descriptors.for_child,
            start_new_session=True,
        )
        descriptors.close_for_child()
        self._handle = descriptors.own(os.pidfd_open(self._process.pid))
        for pump in (self._stdout, self._stderr, self._channel):
            pump.start()

    async def watch(self) -> None:
        if not await ended(self._handle, self._job.limits.wall_seconds):
            self._stopped = Ending.TIMED_OUT
            self._kill()

    def stop(self) -> None:
        self._stopped = self._stopped or Ending.STOPPED
        self._kill()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._cleanup:
            self._kill()
            _, status, self._used = os.wait4(self._process.pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            for pump in (self._stdout, self._stderr, self._channel):
                pump.finish()
            self._seconds = time.monotonic() - self._started
            self._files = collect(self._work, self._job.collect, self._job.collect_bytes)

    def result(self) -> Run:
        cpu = self._used.ru_utime + self._used.ru_stime
        said = self._stderr.sink.output()
        code = self._process.returncode
        how = (
            (self._stopped, None, None)
            if self._stopped
            else read_ending(
                self._job, code if code >= 0 else 128 - code, said.text, cpu_seconds=cpu
            )
        )
        return Run(
            *how,
            self._stdout.sink.output(),
            said,
            self._seconds,
            cpu,
            self._used.ru_maxrss * 1024,
            self._channel.sink.data,
            self._channel.sink.cut,
            self._files,
        )


def _write(job: Job, folder: Path) -> tuple[Path, Path]:
    """Write the job's files; returns the working folder and that of the support files."""
    work, support = folder / "work", folder / "support"
    for place, files in ((work, job.files), (support, {**job.tools, **job.support})):
        place.mkdir()
        for path, content in files.items():
            file = Path(safe_path(str(place), path))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            if place is work and path in job.executables:
                file.chmod(0o755)
    return work, support


def _command(job: Job, support: Path) -> list[str]:
    return [
        f"{support}{word.removeprefix(SUPPORT)}" if word.startswith(f"{SUPPORT}/") else word
        for word in job.command
    ]


def _environment(job: Job, folder: Path) -> dict[str, str]:
    env = {**run_environment(job), "HOME": str(folder), "TMPDIR": str(folder)}
    if job.toolchain.language != "python":
        places = {inside: outside for outside, inside in job.toolchain.binds}
        return {name: places.get(value, value) for name, value in env.items()}
    # Granted packages, which the sandbox would show in another place; of a single one, its folder.
    moved = [
        str(Path(outside).parent) if Path(outside).name == Path(inside).name else outside
        for outside, inside in job.toolchain.binds
        if outside != inside
    ]
    if moved:
        env["PYTHONPATH"] = ":".join(dict.fromkeys(moved))
    return env
