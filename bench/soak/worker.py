"""The process that is watched: it checks program after program through Assay's public API.

Run by `bench.soak`: `python -m bench.soak.worker SECONDS ROUND SEED FOLDER`. After each round, when
nothing of it runs any more, it prints a line of JSON and goes on when a line comes back. SIGTERM
has it begin no program any more, and end as if its time were over.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import signal
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from assay.checks.subject import Subject
from assay.client import Assay
from assay.domain.answer import Answer, Status
from assay.domain.limits import MIB, RunLimits
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Task, TestFile
from assay.errors import AssayError
from bench.soak.program import Program

ROOT = Path(__file__).parents[2]
SCRIPT = "replies.jsonl"
AT_A_TIME = 3
MOST_WRONGS = 20
ROUNDS_OPEN = 5
"""Rounds after which Assay is closed and opened again."""
BATCH = 150
KILLED, STOPPED, SESSION = 0.03, 0.08, 0.16
"""Up to which part of all programs runs in a command that is killed, in a check that is stopped, in
a session; the rest is checked to its end."""

NARROW = RunLimits(
    wall_seconds=3,
    cpu_seconds=3,
    memory_bytes=128 * MIB,
    processes=32,
    files=2000,
    file_bytes=16 * MIB,
)
"""For programs that need not be right: their end is awaited often."""


@dataclass
class Worker:
    """What is done, and what came of it."""

    folder: Path
    chance: random.Random
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often a kind of program ended in one way."""
    wrongs: list[str] = field(default_factory=list)
    """What must not be, since the last report: crashes, errors, programs judged wrongly."""
    waiting: list[Program] = field(default_factory=list)
    end: float = 0.0
    """When the time is over, on the monotonic clock."""
    making: asyncio.Lock = field(default_factory=asyncio.Lock)
    one_session: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, seconds: float, round_seconds: float) -> None:
        """Work for so long, in rounds."""
        self.end = time.monotonic() + seconds
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._stop_working)
        await self._warm_up()
        while (left := self.end - time.monotonic()) > 0:
            rounds = min(ROUNDS_OPEN, int(left // round_seconds) + 1)
            async with Assay(model=f"scripted:{self._script}", flow="single") as assay:
                for _ in range(rounds):
                    if time.monotonic() >= self.end:
                        break
                    until = time.monotonic() + round_seconds
                    await asyncio.gather(*(self._work(assay, until) for _ in range(AT_A_TIME)))
                    self._report(is_open=True)
            self._report(is_open=False)

    def _stop_working(self) -> None:
        self.end = time.monotonic()

    async def _warm_up(self) -> None:
        """Import what is imported at first use: that is no growth."""
        program = Program("warming up", "def f():\n    return 1\n", ("f() == 1",), "", "verified")
        await self._session(Assay(model=f"scripted:{self._script}"), program)

    @property
    def _script(self) -> Path:
        return self.folder / SCRIPT

    def _report(self, *, is_open: bool) -> None:
        gc.collect()
        counted = [[*key, count] for key, count in self.outcomes.items()]
        told = {"is_open": is_open, "outcomes": counted, "wrongs": self.wrongs}
        print(json.dumps(told), flush=True)
        self.wrongs = []
        sys.stdin.readline()

    async def _work(self, assay: Assay, until: float) -> None:
        while time.monotonic() < min(until, self.end):
            program = await self._next()
            try:
                outcome = await self._try(assay, program)
            except AssayError as error:
                outcome = f"error: {error.kind}"
                self._note(program, error.message)
            except Exception as error:  # noqa: BLE001 - a crash is what is looked for
                outcome = "crash"
                self._note(program, repr(error))
            self.outcomes[program.kind, outcome] += 1

    async def _try(self, assay: Assay, program: Program) -> str:
        chance = self.chance.random()
        if chance < KILLED:
            return await self._kill_command(program)
        if chance < STOPPED:
            return await self._stop(assay, program)
        if chance < SESSION:
            answer = await self._session(assay, program)
            status = answer.status
            is_whole = not (answer.solution and answer.solution.set_apart)
        else:
            report = await assay.check(_subject(program))
            status, is_whole = report.judgement.status, True
        # What a reply has beside the function that was asked for is kept apart, and not run.
        if is_whole and program.expected not in (_said(status), "anything"):
            self._note(program, f"{status.value}, where {program.expected} was right")
        return status.value

    async def _stop(self, assay: Assay, program: Program) -> str:
        """Stop a check at any moment."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.chance.random()):
                await assay.check(_subject(program))
        return "stopped"

    async def _session(self, assay: Assay, program: Program) -> Answer:
        """A whole session whose model answers with the program; it is deleted afterwards."""
        task = Task(
            instructions="Write it.",
            examples=program.examples,
            tests=_tests(program),
            run_limits=_limits(program),
        )
        async with self.one_session:  # the script is the model's, and so all sessions' of an Assay
            self._script.write_text(json.dumps({"text": f"````python\n{program.code}\n````"}))
            result = await assay.run(task)
        with closing(assay.open_store()) as store:
            store.delete(result.session)
        return result.answer

    async def _kill_command(self, program: Program) -> str:
        """Kill the command `assay check` at any moment."""
        number = self.chance.randrange(1 << 32)
        file = self.folder / f"killed_{number}.py"
        file.write_bytes(program.code.encode("utf-8", "replace"))
        command = (sys.executable, "-m", "assay", "check", str(file), "--quiet")
        nowhere = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(*command, stdout=nowhere, stderr=nowhere)
        with suppress(TimeoutError):
            async with asyncio.timeout(3 * self.chance.random()):
                await process.wait()
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        file.unlink()
        return "killed"

    async def _next(self) -> Program:
        """The next program; they are made some at a time, by a process that is gone afterwards."""
        async with self.making:
            if not self.waiting:
                command = [sys.executable, "-m", "bench.soak.generating"]
                command += [str(self.chance.randrange(1 << 32)), str(BATCH)]
                process = await asyncio.create_subprocess_exec(
                    *command, stdout=asyncio.subprocess.PIPE, cwd=ROOT
                )
                made, _ = await process.communicate()
                self.waiting = [Program.from_json(line) for line in made.decode().splitlines()]
            return self.waiting.pop()

    def _note(self, program: Program, what: str) -> None:
        if len(self.wrongs) < MOST_WRONGS:
            self.wrongs.append(f"{program.kind}: {what}\n{program.to_json()}")


def _said(status: Status) -> str:
    return "verified" if status is Status.VERIFIED else "not verified"


def _subject(program: Program) -> Subject:
    solution = Solution(
        language="python", files=(SolutionFile(path="solution.py", code=program.code),)
    )
    return Subject(
        solution=solution,
        examples=program.examples,
        tests=_tests(program),
        run_limits=_limits(program),
    )


def _tests(program: Program) -> tuple[TestFile, ...]:
    return (TestFile(name="test_solution.py", source=program.tests),) if program.tests else ()


def _limits(program: Program) -> RunLimits | None:
    return None if program.expected == "verified" else NARROW


def main() -> None:
    """Work until the time is over."""
    seconds, round_seconds, seed, folder = sys.argv[1:]
    worker = Worker(Path(folder), random.Random(int(seed)))
    asyncio.run(worker.run(float(seconds), float(round_seconds)))


if __name__ == "__main__":
    main()
