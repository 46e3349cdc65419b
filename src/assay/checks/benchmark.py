"""Whether a changed solution is better: measured in turn with the former one, on the same work.

Time is the processor time of the whole process tree as the sandbox sees it, so no clock of the
solution's counts. Both have to give the same result on the work, compared where tests are.
"""

from __future__ import annotations

import ast
import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.checks.evidence import describe_ending, ended_well
from assay.checks.judge import judge_tests
from assay.checks.naming import PlacedSolution, place_solution
from assay.checks.rig import Rig, make_rig
from assay.checks.subject import Subject
from assay.checks.syntax import has_call, parse_python
from assay.checks.testfile import ParsedTests, parse_tests
from assay.domain.data import Data
from assay.domain.task import TestFile
from assay.domain.verdict import CheckName, Evidence, Outcome, Verdict
from assay.errors import BadInput
from assay.sandbox.protocol import Run, Sandbox

PAIRS = 7
LEAST_SECONDS = 0.1
"""What one measured run takes at least beyond its start: ticks and noise are small in that."""
MOST_TIMES = 1 << 14
LEAST_GAIN = 0.05
"""A gain in time below that share is none, however quiet the machine."""
LEAST_MEMORY_GAIN = 0.1
MOST_LOSS = 0.2
"""By so much the other of time and memory may become worse."""

_DRIVER = "repeat_workload.py"


class Comparison(Data):
    """What measuring two versions has shown."""

    is_better: bool
    reason: str
    """What was measured, or why nothing was, in a sentence."""
    seconds_before: float | None = None
    """Median processor time of the work, done once; None where it was not measured."""
    seconds_after: float | None = None
    peak_bytes_before: int | None = None
    peak_bytes_after: int | None = None
    pairs: int = 0

    def to_verdict(self) -> Verdict:
        """The verdict of the check `benchmark`."""
        outcome = Outcome.PASSED if self.is_better else Outcome.FAILED
        if not self.pairs:
            outcome = Outcome.COULD_NOT_RUN
        evidence = Evidence(summary=self.reason, peak_memory_bytes=self.peak_bytes_after)
        return Verdict(check=CheckName.BENCHMARK, outcome=outcome, evidence=evidence)


class _Unusable(Exception):
    """The work cannot be measured; says why."""


async def compare_runs(
    before: Subject, after: Subject, workload: str, sandbox: Sandbox, cache_folder: Path
) -> Comparison:
    """Measure two Python solutions in alternating pairs.

    Args:
        before: What works.
        after: What may be better.
        workload: An expression that makes them work; of it, who wrote `after` knows nothing.
        sandbox: Where everything runs.
        cache_folder: Where environments with granted packages are kept.
    """
    try:
        expression = _expression(workload)
        first = await _Bench.of(before, expression, sandbox, cache_folder)
        second = await _Bench.of(after, expression, sandbox, cache_folder)
        if await first.result() != await second.result():
            raise _Unusable("The two versions give different results on a large input.")
        return await _measure(first, second)
    except _Unusable as why:
        return Comparison(is_better=False, reason=str(why))


async def _measure(first: _Bench, second: _Bench) -> Comparison:
    times = await _calibrate(first)
    idle = {bench: await bench.run(0) for bench in (first, second)}
    runs: dict[_Bench, list[Run]] = {first: [], second: []}
    for number in range(PAIRS):
        # A B, B A, …: what drifts meanwhile falls on both.
        for bench in (first, second) if number % 2 == 0 else (second, first):
            runs[bench].append(await bench.run(times))
    (before, after), (peak_before, peak_after) = (
        [
            [max(run.cpu_seconds - idle[bench].cpu_seconds, 1e-4) / times for run in runs[bench]]
            for bench in (first, second)
        ],
        [[run.peak_memory_bytes or 0 for run in runs[bench]] for bench in (first, second)],
    )
    gain, noise = _gain(before, after)
    memory_gain, memory_noise = _gain(peak_before, peak_after)
    faster = gain > max(LEAST_GAIN, noise) and memory_gain > -MOST_LOSS
    smaller = memory_gain > max(LEAST_MEMORY_GAIN, memory_noise) and gain > -max(LEAST_GAIN, noise)
    seconds = [statistics.median(values) for values in (before, after)]
    peaks = [int(statistics.median(values)) for values in (peak_before, peak_after)]
    return Comparison(
        is_better=faster or smaller,
        reason=(
            f"Time {_seconds(seconds[0])} before and {_seconds(seconds[1])} after, memory "
            f"{peaks[0] / 2**20:.1f} and {peaks[1] / 2**20:.1f} MiB, in {PAIRS} pairs; "
            f"noise {noise:.0%}."
        ),
        seconds_before=seconds[0],
        seconds_after=seconds[1],
        peak_bytes_before=peaks[0],
        peak_bytes_after=peaks[1],
        pairs=PAIRS,
    )


def _gain(before: Sequence[float], after: Sequence[float]) -> tuple[float, float]:
    """The median share that is gained in a pair, and its noise: how far pairs lie apart.

    The noise is the distance from the median within which three quarters of the pairs lie.
    """
    shares = [1 - b / a if a else 0.0 for a, b in zip(before, after, strict=True)]
    median = statistics.median(shares)
    spread = sorted(abs(share - median) for share in shares)
    return median, spread[(3 * len(spread)) // 4]


async def _calibrate(bench: _Bench) -> int:
    """How often the work is done in a run, so that it can be measured."""
    idle = (await bench.run(0)).cpu_seconds
    times = 1
    while times < MOST_TIMES:
        spent = (await bench.run(times)).cpu_seconds - idle
        if spent >= LEAST_SECONDS:
            break
        times = min(MOST_TIMES, times * max(2, min(64, int(LEAST_SECONDS / max(spent, 1e-3)))))
    return times


@dataclass(frozen=True, eq=False)
class _Bench:
    """Runs the work on one version."""

    rig: Rig
    placed: PlacedSolution
    tests: ParsedTests
    expression: str

    @classmethod
    async def of(
        cls, subject: Subject, expression: str, sandbox: Sandbox, cache_folder: Path
    ) -> _Bench:
        rig = await make_rig(subject, sandbox, cache_folder)
        try:
            tests = parse_tests(_digest_test(expression))
        except BadInput as error:
            raise _Unusable(f"The work cannot be used: {error.message}") from error
        return cls(rig, place_solution(rig, tests), tests, expression)

    async def result(self) -> str:
        """A hash of what the work gives, made where the solution's code never is."""
        verdict = await judge_tests(self.rig, CheckName.BENCHMARK, self.tests)
        failures = verdict.evidence.failures
        if len(failures) != 1 or not failures[0].got:
            said = failures[0].message if failures else verdict.evidence.summary
            raise _Unusable(f"The work could not be done once ({said.rstrip('.')}).")
        return failures[0].got

    async def run(self, times: int) -> Run:
        """Do the work so many times in one process."""
        plan = {"module": self.placed.module, "workload": self.expression, "times": times}
        job = self.rig.driver_job(_DRIVER, self.placed.files)
        job = replace(job, channel=False, stdin=json.dumps(plan).encode())
        run = await self.rig.sandbox.run(job)
        if not ended_well(run):
            raise _Unusable(f"The work could not be measured: {describe_ending(run)}.")
        return run


def _expression(workload: str) -> str:
    """The one expression of a workload.

    Raises:
        _Unusable: it is something else.
    """
    tree = parse_python(workload.strip())
    statements = tree.body if tree else []
    match statements:
        case [ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[value]))]:
            pass
        case [ast.Expr(value=value) | ast.Assign(value=value)]:
            pass
        case _:
            raise _Unusable("There was no single expression to measure it on.")
    if not has_call(value):
        raise _Unusable("The work calls nothing.")
    return ast.unparse(value)


def _digest_test(expression: str) -> TestFile:
    """A test that fails, and tells the hash of the result as what it got."""
    source = (
        "import hashlib\n"
        f"assert hashlib.sha256(repr({expression}).encode()).hexdigest() == 'a digest'\n"
    )
    return TestFile(name="test_workload.py", source=source)


def _seconds(value: float) -> str:
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1000:.2f} ms" if value >= 1e-4 else f"{value * 1e6:.1f} µs"
