"""How a run ended, told from what was seen of it."""

from __future__ import annotations

import signal

from assay.sandbox.languages import get_language
from assay.sandbox.protocol import Ending, Job


def read_ending(
    job: Job, code: int, stderr: str, *, cpu_seconds: float, memory_kills: int = 0
) -> tuple[Ending, int | None, str | None]:
    """Tell how a run that was not stopped ended: ending, exit status, name of the signal.

    Args:
        job: what was run.
        code: the exit status, or 128 + n for signal n.
        stderr: what it printed there.
        cpu_seconds: what its tree used.
        memory_kills: how many of its processes the kernel killed for want of memory.
    """
    exit_status, signal_name = _split(code)
    language = get_language(job.toolchain.language)
    if code and (memory_kills or language.ran_out_of_memory(stderr)):
        return Ending.OUT_OF_MEMORY, exit_status, signal_name
    if signal_name == "SIGXCPU" or (
        signal_name == "SIGKILL" and cpu_seconds >= job.limits.cpu_seconds
    ):
        return Ending.TIMED_OUT, exit_status, signal_name
    if signal_name:
        return Ending.SIGNALLED, exit_status, signal_name
    return Ending.EXITED, exit_status, None


def _split(code: int) -> tuple[int | None, str | None]:
    """Take 128 + n for signal n apart, as shells do."""
    try:
        return None, signal.Signals(code - 128).name
    except ValueError:
        return code, None
