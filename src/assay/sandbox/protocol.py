"""What a sandbox is to the rest of Assay: a job goes in, what became of it comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from assay.domain.limits import RunLimits


@dataclass(frozen=True)
class Toolchain:
    """An interpreter or compiler on this machine, and what it needs to be seen inside."""

    language: str
    executable: str
    """Absolute path, the same inside and outside."""
    version: str
    binds: tuple[tuple[str, str], ...] = ()
    """(path outside, path inside), read-only, beyond the system's own folders."""
    masks: tuple[str, ...] = ()
    """Folders that appear empty inside (site-packages that were not granted)."""
    env: Mapping[str, str] = field(default_factory=dict)
    home: str = ""
    """The installation's folder, where a language asks for it."""
    also: str = ""
    """Path of another language's executable, where a run needs it too."""
    packages: tuple[str, ...] = ()
    """`name==version` of what a run can import beyond the standard library."""


@dataclass(frozen=True)
class Job:
    """One program to run."""

    command: tuple[str, ...]
    toolchain: Toolchain
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Path inside the working folder -> content. The program may change its copies."""
    support: Mapping[str, bytes] = field(default_factory=dict)
    """Path under SUPPORT -> content, read-only whatever the program does: test files."""
    tools: Mapping[str, bytes] = field(default_factory=dict)
    """Path under SUPPORT -> content: our own drivers, in a process that its program may spoil
    anyway; a prestarted process can be given them, and support files not."""
    modules: tuple[str, ...] = ()
    """What the program imports first of all, tools too: a prestarted process has it ready."""
    executables: frozenset[str] = frozenset()
    """Those of `files` that can be executed."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the cleared environment."""
    stdin: bytes = b""
    """What the program can read from its standard input, before its end."""
    collect: tuple[str, ...] = ()
    """Paths inside the working folder of files to bring back at the end."""
    collect_bytes: int = 16 * 1024 * 1024
    """What each of them may have."""
    limits: RunLimits = field(default_factory=RunLimits)
    channel: bool = False
    """Whether the program gets a pipe to write results to: its number is in ASSAY_CHANNEL."""
    stand_ins: tuple[str, ...] = ()
    """Model APIs to play inside the sandbox (`openai`)."""


class Ending(StrEnum):
    """How a run ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed_out"
    """Wall or CPU time was used up."""
    OUT_OF_MEMORY = "out_of_memory"
    TOO_MANY_FILES = "too_many_files"
    STOPPED = "stopped"
    """It went on though the tester that it was linked to had ended."""


@dataclass(frozen=True)
class Output:
    """What was printed on one stream: head and tail, with a mark between where it was cut."""

    text: str
    """Decoded as UTF-8; other bytes appear as backslash escapes."""
    size: int
    """Bytes that were printed in all."""
    cut: bool


@dataclass(frozen=True)
class Run:
    """What became of a job. When it is returned, every process of the run is dead."""

    ending: Ending
    exit_status: int | None
    signal: str | None
    stdout: Output
    stderr: Output
    seconds: float
    cpu_seconds: float
    peak_memory_bytes: int | None
    channel: bytes = b""
    """What came through the channel, at most 16 MiB."""
    channel_cut: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Those of `Job.collect` that are there, plain files, and not too large."""
    prestarted: bool = False
    """Whether a process that waited for a job was given it."""


SUPPORT = "/assay"
WORKING_FOLDER = "/work"
CHANNEL_LIMIT = 16 * 1024 * 1024


class Sandbox(Protocol):
    """Runs jobs apart from this machine. Safe to use from several tasks at once."""

    @property
    def description(self) -> str:
        """Backend, version, and what holds each limit: goes into the receipt."""
        ...

    async def run(self, job: Job) -> Run:
        """Run `job` to its end. Cancelling kills the whole tree before it raises.

        Raises:
            NoSandbox: the sandbox cannot be set up (says what to do).
        """
        ...

    async def run_linked(self, tester: Job, solution: Job) -> tuple[Run, Run]:
        """Run two jobs with a stream socket between them; its number is in ASSAY_LINK.

        When the solution ends first, the tester sees the end of the stream, and goes on. When the
        tester ends first the solution sees the same, and is killed if it goes on
        (`Ending.STOPPED`). Each has its own limits. Cancelling kills both.

        Raises:
            NoSandbox: the sandbox cannot be set up (says what to do).
        """
        ...

    def open_pool(self, modules: tuple[str, ...] = (), *, refills: bool = True) -> None:
        """Start Pythons before their jobs come, from now on until `aclose`; for one event loop.

        Args:
            modules: what they import beforehand for programs that name it.
            refills: whether jobs like those that came may come again; else only those that are
                expected are started for.
        """
        ...

    def expect(self, job: Job) -> None:
        """Get ready for a job like `job`, which is going to come; no program runs before it does.

        Nothing happens without a pool, or where such a job has to be started for itself.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what is kept ready between runs; no run may be going on."""
        ...
