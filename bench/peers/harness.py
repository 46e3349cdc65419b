"""An adapter at work, behind a fence that saves the machine from what it does not hold.

The fence is a pid namespace, so that whatever runs there ends with it, and a watch over memory and
processes. It protects nothing else: what the abuses aim at are decoys.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from assay.domain.limits import MIB
from assay.sandbox.processes import look_at_tree
from bench.peers.cases import MARK
from bench.peers.serving import Answer, Case

ANSWER_SECONDS = 20.0
"""The longest that an answer may take: a harness may run a case a few times."""
START_SECONDS = 120.0
MOST_MEMORY = 1024 * MIB
MOST_PROCESSES = 256
"""Of a harness with all that it runs: twice and four times what Assay allows one run."""
LOOK_SECONDS = 0.05
SETTLE_SECONDS = 5.0
IDLE_SECONDS = 0.25
IDLE_SHARE = 0.3
"""Of one core, below which nothing is left running."""

_ROOT = Path(__file__).parent.parent.parent


class Lost(Exception):
    """A harness that no longer answers; its text says how that came, in a few words."""


class Harness:
    """One adapter in its process. Use `start`, and `close` in the end."""

    def __init__(self, process: subprocess.Popen[bytes], reader: asyncio.StreamReader,
                 writer: asyncio.StreamWriter, stdin: int, stderr: IO[bytes]) -> None:  # fmt: skip
        """Take over what `start` started."""
        self._process = process
        self._reader = reader
        self._writer = writer
        self._stdin = stdin
        self._stderr = stderr
        self.version = ""

    @classmethod
    async def start(
        cls, python: Path, module: str, arguments: Sequence[str], env: Mapping[str, str]
    ) -> Harness:
        """Start `bench.peers.MODULE` and wait until it is ready.

        Args:
            python: The interpreter of the adapter's environment.
            module: Its name.
            arguments: What it is told.
            env: Its environment, the whole of it; it works in HOME.

        Raises:
            Lost: it ended instead; says what it printed last.
        """
        process, ours, stdin, stderr = _spawn(python, module, arguments, env)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        harness = cls(process, reader, writer, stdin, stderr)
        try:
            harness.version = await harness._read(START_SECONDS, watched=False)
        except Lost as error:
            said = harness.close()
            raise Lost(said or str(error)) from error
        return harness

    async def ask(self, case: Case, *, watched: bool = False) -> Answer:
        """Ask for one case.

        Args:
            case: The program and its tests.
            watched: Whether to look at memory and processes meanwhile, which costs time.

        Raises:
            Lost: there is no answer, or the bounds were passed.
        """
        self._writer.write(json.dumps(asdict(case)).encode() + b"\n")
        return Answer(**await self._read(ANSWER_SECONDS, watched=watched))

    @property
    def init(self) -> int:
        """Pid of the fence's first process, with which all behind it ends."""
        pid = self._process.pid
        (init,) = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
        return int(init)

    def memory(self) -> int:
        """What all processes behind the fence have in memory, in bytes; shared pages count once."""
        return look_at_tree(self._process.pid, memory=True).memory_bytes

    async def is_at_rest(self) -> bool:
        """Whether it comes to rest: no process of an abuse is left, and next to no work."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < deadline:
            before = self._cpu_seconds()
            await asyncio.sleep(IDLE_SECONDS)
            used = self._cpu_seconds() - before
            if used <= IDLE_SHARE * IDLE_SECONDS and not self._has_abuses():
                return True
        return False

    def close(self) -> str:
        """End it, with all that runs behind its fence; returns what it printed last on stderr."""
        with suppress(OSError, ValueError):  # it may have ended by itself
            os.kill(self.init, signal.SIGKILL)
        self._process.wait()
        self._writer.close()
        os.close(self._stdin)
        with self._stderr as stderr:
            stderr.seek(0)
            lines = stderr.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    async def _read(self, seconds: float, *, watched: bool) -> Any:
        reading = asyncio.ensure_future(self._reader.readline())
        deadline = time.monotonic() + seconds
        try:
            while not reading.done():
                if time.monotonic() > deadline:
                    raise Lost("no answer")
                if watched and self._is_beyond_bounds():
                    raise Lost("without bound")
                await asyncio.wait({reading}, timeout=LOOK_SECONDS if watched else 1.0)
            line = reading.result()
        except ConnectionError:
            line = b""
        finally:
            reading.cancel()
        if not line:
            raise Lost("harness died")
        return json.loads(line)

    def _is_beyond_bounds(self) -> bool:
        return len(self._processes()) > MOST_PROCESSES or self.memory() > MOST_MEMORY

    def _cpu_seconds(self) -> float:
        return look_at_tree(self._process.pid, memory=False).cpu_seconds

    def _has_abuses(self) -> bool:
        for process in self._processes():
            with suppress(OSError):  # it may end while it is looked at
                _, name, state = re.split(r"[()]", (process / "stat").read_text("utf-8"))
                if name == MARK and state.split()[0] != "Z":
                    return True
        return False

    def _processes(self) -> list[Path]:
        try:
            entries = list(Path(f"/proc/{self.init}/root/proc").iterdir())
        except (OSError, ValueError):  # all of it has ended
            return []
        return [entry for entry in entries if entry.name.isdigit()]


def _spawn(
    python: Path, module: str, arguments: Sequence[str], env: Mapping[str, str]
) -> tuple[subprocess.Popen[bytes], socket.socket, int, IO[bytes]]:
    """Start an adapter; returns its fence, our ends of its socket and its stdin, and its stderr."""
    # Not bubblewrap, which hides parts of /proc, and no sandbox could be set up inside.
    fence = [
        "setpriv",
        "--pdeathsig",
        "KILL",
        "unshare",
        "--pid",
        "--fork",
        "--mount-proc",
        "--kill-child",
    ]
    if os.geteuid() != 0:
        fence += ["--user", "--map-current-user"]
    ours, theirs = socket.socketpair()
    # Somebody's terminal with nobody typing: it never ends.
    stdin, never_written = os.pipe()
    stderr = TemporaryFile()  # noqa: SIM115 - closed with the harness
    adapter = (str(python), "-m", f"bench.peers.{module}", str(theirs.fileno()), *arguments)
    # The shell is the namespace's first process, which no signal from inside would end.
    process = subprocess.Popen(
        (*fence, "--", "sh", "-c", '"$@"; exit', "sh", *adapter),
        cwd=env["HOME"],
        env={**env, "PYTHONPATH": str(_ROOT)},
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        pass_fds=(theirs.fileno(),),
        process_group=0,
    )
    os.close(stdin)
    theirs.close()
    return process, ours, never_written, stderr
