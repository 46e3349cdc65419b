"""No sandbox: a plain child process, for those who say so. Nothing protects the machine."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from assay.sandbox.bubblewrap import run_environment, safe_path
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.endings import read_ending
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
        job = with_stand_ins(job)
        with (
            tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as folder,
            Descriptors() as descriptors,
        ):
            stdout = Pump(Collector(job.limits.output_bytes), descriptors)
            stderr = Pump(Collector(job.limits.output_bytes), descriptors)
            channel = Pump(Channel(CHANNEL_LIMIT), descriptors, inherited=True)
            pumps = (stdout, stderr, channel)
            work, support = _write(job, Path(folder))
            started = time.monotonic()
            process = subprocess.Popen(  # noqa: ASYNC220 - asyncio would wait for its pipes too
                _command(job, support),
                stdin=subprocess.DEVNULL,
                stdout=stdout.theirs,
                stderr=stderr.theirs,
                env=_environment(job, folder, channel.theirs),
                cwd=work,
                pass_fds=descriptors.for_child,
                start_new_session=True,
            )
            descriptors.close_for_child()
            handle = descriptors.own(os.pidfd_open(process.pid))
            in_time = False
            try:
                for pump in pumps:
                    pump.start()
                in_time = await ended(handle, job.limits.wall_seconds)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                _, status, used = os.wait4(process.pid, 0)  # noqa: ASYNC222 - it is dead
                process.returncode = os.waitstatus_to_exitcode(status)
                for pump in pumps:
                    pump.finish()
        seconds = time.monotonic() - started
        cpu = used.ru_utime + used.ru_stime
        said = stderr.sink.output()
        code = process.returncode
        how = (
            read_ending(job, code if code >= 0 else 128 - code, said.text, cpu_seconds=cpu)
            if in_time
            else (Ending.TIMED_OUT, None, None)
        )
        return Run(
            *how,
            stdout.sink.output(),
            said,
            seconds,
            cpu,
            used.ru_maxrss * 1024,
            channel.sink.data,
            channel.sink.cut,
        )


def _write(job: Job, folder: Path) -> tuple[Path, Path]:
    """Write the job's files; returns the working folder and that of the support files."""
    work, support = folder / "work", folder / "support"
    for place, files in ((work, job.files), (support, job.support)):
        place.mkdir()
        for path, content in files.items():
            file = Path(safe_path(str(place), path))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return work, support


def _command(job: Job, support: Path) -> list[str]:
    return [
        f"{support}{word.removeprefix(SUPPORT)}" if word.startswith(f"{SUPPORT}/") else word
        for word in job.command
    ]


def _environment(job: Job, folder: str, channel: int) -> dict[str, str]:
    env = {**run_environment(job), "HOME": folder, "TMPDIR": folder}
    if job.channel:
        env["ASSAY_CHANNEL"] = str(channel)
    # Granted packages, which the sandbox would show in another place.
    moved = [outside for outside, inside in job.toolchain.binds if outside != inside]
    if moved:
        env["PYTHONPATH"] = ":".join(moved)
    return env
