"""Assay's own share of a scripted session of three attempts: its time and its memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.own_session import WITHOUT_POOL
from bench.script import CORRECT, REPLY_SECONDS, TEAM
from bench.tables import Table, against, milliseconds

ROUNDS = 11
TIME_LIMIT = 0.150
TEAM_TIME_LIMIT = 0.300
MEMORY_LIMIT = 150_000_000

_ROOT = Path(__file__).parent.parent


async def measure(rounds: int = ROUNDS) -> list[Table]:
    """Run sessions in `rounds` fresh processes for the time, and as many for the memory."""
    with TemporaryDirectory() as folder:
        modules = _session(folder, (), CORRECT.flow)["modules"]
        kept, cold, team = [], [], []
        for _ in range(rounds):
            kept.append(_session(folder, modules, CORRECT.flow))
            cold.append(_session(folder, modules, CORRECT.flow, WITHOUT_POOL))
            team.append(_session(folder, modules, TEAM.flow))
    first, second = (median(seconds) for seconds in zip(*(one["own"] for one in kept), strict=True))
    waited, waited_cold = (median(one["waited"][0] for one in runs) for runs in (kept, cold))
    of_team = median(one["own"][0] for one in team)
    memory = median(_peak() for _ in range(rounds))
    target, team_target, memory_target = "< 150 ms", "< 300 ms", "< 150 MB"
    return [
        Table(
            columns=("Assay's own", "median", "target"),
            rows=(
                (
                    "time of the first session in a process",
                    milliseconds(first),
                    against(first, TIME_LIMIT, target),
                ),
                (
                    "time of the next session",
                    milliseconds(second),
                    against(second, TIME_LIMIT, target),
                ),
                ("wait of the first session besides its replies", milliseconds(waited), ""),
                (
                    "the same with no Pythons started beforehand",
                    milliseconds(waited_cold),
                    "",
                ),
                (
                    "time of a team's first session",
                    milliseconds(of_team),
                    against(of_team, TEAM_TIME_LIMIT, team_target),
                ),
                (
                    "peak memory of `assay ask`",
                    f"{memory / 1e6:.0f} MB",
                    against(memory, MEMORY_LIMIT, memory_target),
                ),
            ),
            note=(
                "A scripted session of three attempts (wrong, wrong, right) with one example and "
                f"{REPLY_SECONDS:g} s for each reply, in {rounds} fresh processes. Time: from "
                "opening the database, which has had sessions before, to the receipt, after all "
                "modules are imported, without the time in which the model answers or the sandbox "
                "runs a program. Starting Pythons beforehand, and ending those that are left, "
                "counts. The team's session has all six agents: a plan, three attempts of which "
                "two fail, tests that are tried on mutants, a proposal that is measured, a closing "
                "message and a text for a check-in. Memory: the most that the command's own "
                "process has resident."
            ),
        )
    ]


def _session(folder: str, modules: Iterable[str], *options: str) -> dict[str, Any]:
    command = (sys.executable, "-m", "bench.own_session", folder, *options)
    done = subprocess.run(
        command, cwd=_ROOT, input=" ".join(modules), capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _peak() -> int:
    with TemporaryDirectory() as folder:
        peak = Path(folder, "peak")
        model, task = CORRECT.write(Path(folder, "replies.jsonl")), CORRECT.task
        env = {**os.environ, "ASSAY_DATA_FOLDER": folder, "ASSAY_CACHE_FOLDER": folder}
        command = (sys.executable, "-m", "bench.peak_memory", str(peak), "ask", task.instructions)
        options = (
            "--example",
            *task.examples,
            "--model",
            model,
            "--flow",
            "correct",
            "--attempts",
            "3",
        )
        subprocess.run((*command, *options), cwd=_ROOT, env=env, capture_output=True, check=True)
        return int(peak.read_text("utf-8"))
