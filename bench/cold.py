"""Starting from nothing: a check in a new sandbox, and the command's help, against Python's start.

All are run in turn, round after round, so that what else the machine does meets each alike.
Python's own start is taken in an empty environment: the packages that a machine's interpreter has
may slow it (path files are read at each start), and a run does not see them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from assay.checks.execution import check_execution
from assay.checks.rig import Rig, make_rig
from assay.checks.subject import Subject
from assay.domain.solution import Solution, SolutionFile
from assay.sandbox.opening import open_sandbox
from bench.tables import Table, against, milliseconds

ROUNDS = 50
CHECK_LIMIT = 3.0
HELP_LIMIT = 20.0
"""Times the start of Python."""


async def measure(rounds: int = ROUNDS) -> list[Table]:
    """Time all of them, `rounds` times in turn."""
    solution = Solution(language="python", files=(SolutionFile(path="main.py", code="pass\n"),))
    with TemporaryDirectory() as cache:
        rig = await make_rig(Subject(solution), open_sandbox("auto"), Path(cache))
        empty = Path(cache) / "empty"
        _run((rig.toolchain.executable, "-m", "venv", "--without-pip", str(empty)))
        bare = (str(empty / "bin" / "python"), "-I", "-c", "pass")
        python = (rig.toolchain.executable, "-I", "-c", "pass")
        command = (str(Path(sys.executable).with_name("assay")), "--help")
        module = (sys.executable, "-m", "assay", "--help")
        _time_command(command)  # leaves the compiled modules behind, as an installation has them
        starts, full_starts, checks, helps, module_helps = [], [], [], [], []
        for _ in range(rounds):
            starts.append(_time_command(bare))
            full_starts.append(_time_command(python))
            checks.append(await _time_check(rig))
            helps.append(_time_command(command))
            module_helps.append(_time_command(module))
    base = median(starts)
    return [
        Table(
            columns=("what", "median", "times Python's start", "target"),
            rows=(
                ("`python -I -c pass`, no packages", milliseconds(base), "1.0", ""),
                (
                    "`python -I -c pass`, with this machine's packages",
                    milliseconds(median(full_starts)),
                    f"{median(full_starts) / base:.1f}",
                    "",
                ),
                _row("check `execution` of `pass`, new sandbox", checks, base, CHECK_LIMIT),
                _row("`assay --help`", helps, base, HELP_LIMIT),
                _row("`python -m assay --help`", module_helps, base, HELP_LIMIT),
            ),
            note=(
                f"{rounds} rounds, each of them one run of each in turn. The check runs the same "
                "interpreter, in a sandbox that is set up and taken down for it."
            ),
        )
    ]


async def _time_check(rig: Rig) -> float:
    started = time.perf_counter()
    verdict = await check_execution(rig)
    seconds = time.perf_counter() - started
    if not verdict.passed:
        raise RuntimeError(f"the check did not pass: {verdict.evidence.summary}")
    return seconds


def _time_command(command: tuple[str, ...]) -> float:
    started = time.perf_counter()
    _run(command)
    return time.perf_counter() - started


def _run(command: tuple[str, ...]) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)


def _row(what: str, seconds: list[float], base: float, limit: float) -> tuple[str, ...]:
    times = median(seconds) / base
    return (
        what,
        milliseconds(median(seconds)),
        f"{times:.1f}",
        against(times, limit, f"≤ {limit:g}"),
    )
