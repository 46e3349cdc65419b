"""Starting the worker, looking at it after each round from outside, and telling what was seen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from bench.soak.looking import (
    Size,
    adopt_orphans,
    cgroups_of,
    files_in,
    leftover_processes,
    mounts,
    size_of,
)
from bench.soak.worker import SCRIPT
from bench.tables import Table

ROUND_SECONDS = 60.0
ROOT = Path(__file__).parents[2]
GRACE_SECONDS = 10.0
"""How long what was killed may take to be gone; an Assay that is killed has a guardian of 1 s."""
SHARED = Path("/dev/shm")


@dataclass(frozen=True)
class Measure:
    """A size that has to stay as it is."""

    name: str
    of: Callable[[Size], int]
    shown: Callable[[float], str]
    growth: float
    """By how much it may be larger at the end, and still be flat."""

    def is_flat(self, second: float, last: float) -> bool:
        """Whether the last quarter is no larger than the second, but for what comes and goes."""
        return last <= second + self.growth


MEASURES = (
    Measure("memory (PSS)", lambda size: size.memory_bytes, lambda n: f"{n / 1e6:.1f} MB", 8e6),
    # A waiting Python holds about a dozen, and how many wait depends on what was asked lately.
    Measure("descriptors", lambda size: size.descriptors, lambda n: f"{n:g}", 16),
    Measure("threads", lambda size: size.threads, lambda n: f"{n:g}", 2),
)
LOOKS_TO_TELL = 20
"""With fewer, what grows cannot be told from what is still being filled."""
KINDS_LEFT = ("processes", "files", "mounts", "control groups")


@dataclass
class Shown:
    """What a soak has shown."""

    asked_seconds: float = 0.0
    seconds: float = 0.0
    """How long it has run."""
    is_stopped: bool = False
    """Whether it was ended early."""
    looks: list[Size] = field(default_factory=list)
    """Assay's process after each round."""
    closings: int = 0
    left: Counter[str] = field(default_factory=Counter)
    """How much of each kind was left behind when Assay had been closed."""
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often a kind of program ended in one way."""
    wrongs: list[str] = field(default_factory=list)
    """Everything that must not be."""

    def growth(self) -> Iterator[tuple[Measure, float, float]]:
        """Each size: its medians of the second and of the last quarter of the looks."""
        quarter = max(1, len(self.looks) // 4)
        for measure in MEASURES if self.looks else ():
            sizes = [measure.of(size) for size in self.looks]
            second = sizes[quarter : 2 * quarter] or sizes
            yield measure, median(second), median(sizes[-quarter:])

    def tables(self) -> list[Table]:
        """The figures as tables."""
        return [self._sizes(), self._leftovers(), self._programs()]

    def _sizes(self) -> Table:
        return Table(
            columns=("Assay's own process", "second quarter", "last quarter", "flat"),
            rows=tuple(
                (
                    measure.name,
                    measure.shown(second),
                    measure.shown(last),
                    "yes" if measure.is_flat(second, last) else "no",
                )
                for measure, second, last in self.growth()
            ),
            note=f"{self.outcomes.total():,} programs in {self._duration()}, three at "
            f"a time; medians of {len(self.looks)} looks between rounds, when none runs.",
        )

    def _duration(self) -> str:
        ran = f"{self.seconds / 60:.0f} minutes"
        if self.is_stopped:
            ran = f"{self.seconds / 60:.1f} minutes (stopped, of {self.asked_seconds / 60:.0f})"
        return ran

    def _leftovers(self) -> Table:
        return Table(
            columns=("left behind", "how much"),
            rows=tuple((kind, str(self.left[kind])) for kind in KINDS_LEFT),
            note=f"Assay was closed {self.closings} times, and what it left was looked for.",
        )

    def _programs(self) -> Table:
        by_kind: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for (kind, end), count in self.outcomes.items():
            by_kind[kind][end] += count
        return Table(
            columns=("programs", "runs", "how they ended"),
            rows=tuple(
                (
                    kind,
                    str(ends.total()),
                    ", ".join(f"{end} {n}" for end, n in sorted(ends.items())),
                )
                for kind, ends in sorted(by_kind.items())
            ),
            note="Stopped: the check was cancelled on its way. Killed: its command was, with -9.",
        )


def soak(seconds: float, round_seconds: float, seed: int) -> Shown:
    """Let a worker run for so long, in rounds, and look at what it leaves.

    Args:
        seconds: How long; looking comes on top.
        round_seconds: How long it works between two looks.
        seed: Which programs; the same ones for the same number.
    """
    adopt_orphans()
    with TemporaryDirectory(prefix="soak-") as name:
        return _Watch(Path(name)).run(seconds, round_seconds, seed)


class _Watch:
    """Looks at one worker, and at what it leaves."""

    def __init__(self, folder: Path) -> None:
        self._kept = [folder / name for name in ("data", "cache")]
        """Where Assay keeps things: the same ones, soon."""
        self._passing = [folder / name for name in ("temporary", "home", "work")]
        self._shown = Shown()
        self._started = time.monotonic()
        self._known: dict[str, set[str]] = {"mounts": mounts(), "shared": files_in(SHARED)}

    def run(self, seconds: float, round_seconds: float, seed: int) -> Shown:
        """Start the worker, look whenever it says so, and tell what was seen."""
        shown = self._shown
        shown.asked_seconds = seconds
        for folder in (*self._kept, *self._passing):
            folder.mkdir()
        command = [sys.executable, "-m", "bench.soak.worker", str(seconds), str(round_seconds)]
        with (
            subprocess.Popen(
                [*command, str(seed), str(self._passing[-1])],
                cwd=ROOT,
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,  # a terminal's Ctrl-C is for this process alone
            ) as worker,
            self._stopping(worker),
        ):
            if worker.stdin is None or worker.stdout is None:
                raise TypeError("the worker's streams are pipes")
            for line in worker.stdout:
                self._hear(worker.pid, json.loads(line))
                worker.stdin.write("\n")
                worker.stdin.flush()
        shown.seconds = time.monotonic() - self._started
        if worker.returncode and not (shown.is_stopped and worker.returncode == -signal.SIGTERM):
            shown.wrongs.append(f"The worker ended with status {worker.returncode}.")
        self._look_for_leftovers(worker.pid)
        shown.wrongs += [
            f"{size.name} has grown from {second:g} to {last:g}."
            for size, second, last in shown.growth()
            if len(shown.looks) >= LOOKS_TO_TELL and not size.is_flat(second, last)
        ]
        return shown

    @contextmanager
    def _stopping(self, worker: subprocess.Popen[str]) -> Iterator[None]:
        """Have the worker come to its end on Ctrl-C or SIGTERM; on the second, end at once."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.getsignal(number) for number in signals}

        def restore() -> None:
            for number in signals:
                signal.signal(number, before[number])

        def stop(_number: int, _frame: FrameType | None) -> None:
            restore()
            self._shown.is_stopped = True
            worker.terminate()

        for number in signals:
            signal.signal(number, stop)
        try:
            yield
        except BaseException:
            worker.kill()
            raise
        finally:
            restore()

    def _environment(self) -> dict[str, str]:
        data, cache = self._kept
        temporary, home, _ = self._passing
        return {
            **os.environ,
            "ASSAY_DATA_FOLDER": str(data),
            "ASSAY_CACHE_FOLDER": str(cache),
            "TMPDIR": str(temporary),
            "HOME": str(home),
        }

    def _hear(self, worker: int, told: dict[str, Any]) -> None:
        """Look after a round, or after Assay was closed, as the worker tells."""
        shown = self._shown
        shown.outcomes = Counter({(kind, end): count for kind, end, count in told["outcomes"]})
        shown.wrongs += told["wrongs"]
        if told["is_open"]:
            shown.looks.append(size := size_of(worker))
            memory = f"{size.memory_bytes / 1e6:.1f} MB, {size.descriptors} descriptors"
            print(f"{shown.outcomes.total():,} programs; {memory}", file=sys.stderr, flush=True)
        else:
            shown.closings += 1
            self._look_for_leftovers(worker)

    def _look_for_leftovers(self, worker: int) -> None:
        until = time.monotonic() + GRACE_SECONDS
        while any((left := self._left(worker)).values()) and time.monotonic() < until:
            time.sleep(0.1)
        for kind, names in left.items():
            self._shown.left[kind] += len(names)
            self._shown.wrongs += [f"Left behind ({kind}): {name}" for name in names]

    def _left(self, worker: int) -> dict[str, list[str]]:
        kept = files_in(*self._kept)
        files = files_in(*self._passing) - {str(self._passing[-1] / SCRIPT)}
        files |= kept - self._known.setdefault("kept", kept)
        files |= files_in(SHARED) - self._known["shared"]
        return {
            "processes": leftover_processes(worker),
            "files": sorted(files),
            "mounts": sorted(mounts() - self._known["mounts"]),
            "control groups": sorted(cgroups_of(worker)),
        }
