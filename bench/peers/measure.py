"""Assay beside its peers: how long they take, what they tell right, what they hold.

All are asked for the same program in turn, round after round, each behind the same fence.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.environments import CannotInstall, make_environment
from bench.peers.cases import SECONDS, Abuse, Fake, Program, read_abuses, read_fakes, read_programs
from bench.peers.decoys import Decoys
from bench.peers.harness import ANSWER_SECONDS, Harness, Lost
from bench.peers.peers import ASSAY, PEERS, PLAIN, Peer
from bench.peers.trial import Trial
from bench.tables import Table, milliseconds

ROUNDS = 3
TEMPORARY = Path("/var/tmp")
"""On a disk, and a place that llm-sandbox lends to its runs, as it does not lend /tmp."""


@dataclass
class Timed:
    """What one harness did with the ordinary programs."""

    seconds: dict[Program, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: set[str] = field(default_factory=set)
    """Right programs that did not pass."""
    believed: set[str] = field(default_factory=set)
    """Wrong ones that did."""
    peak_bytes: int = 0
    resting_bytes: int = 0


async def measure(
    peers: Sequence[Peer] = PEERS,
    programs: Sequence[Program] | None = None,
    abuses: Sequence[Abuse] | None = None,
    fakes: Sequence[Fake] | None = None,
    rounds: int = ROUNDS,
) -> list[Table]:
    """Make the environments, run everything in them, throw them away."""
    programs = read_programs() if programs is None else programs
    abuses = read_abuses() if abuses is None else abuses
    fakes = read_fakes() if fakes is None else fakes
    with TemporaryDirectory(prefix="assay-bench-", dir=TEMPORARY) as name, ExitStack() as stack:
        folder = Path(name)
        decoys = Decoys(folder)
        stack.callback(decoys.close)
        plain = make_environment(folder / "plain")
        trials: dict[Peer, Trial] = {}
        missing: dict[Peer, str] = {}
        for peer in (PLAIN, ASSAY, *peers):
            _say(f"{peer.title} is made ready")
            try:
                trials[peer] = await _make_ready(peer, folder, plain, decoys)
            except (CannotInstall, Lost) as error:
                missing[peer] = str(error)
            else:
                stack.callback(trials[peer].close)
        timed = await _time(trials, programs, rounds)
        judged = {peer: trial for peer, trial in trials.items() if peer is not PLAIN}
        return [
            _speeds(trials, timed, programs, rounds, missing),
            await _abuses(judged, abuses),
            await _fakes(judged, fakes),
        ]


async def _make_ready(peer: Peer, folder: Path, plain: Path, decoys: Decoys) -> Trial:
    python = Path(sys.executable)
    if peer.package:
        python = make_environment(folder / peer.module, [peer.package])

    async def start() -> Harness:
        return await Harness.start(python, peer.module, peer.tell(plain), decoys.environment)

    trial = Trial(await start(), start, decoys)
    await trial.warm_up()
    return trial


async def _time(
    trials: Mapping[Peer, Trial], programs: Sequence[Program], rounds: int
) -> dict[Peer, Timed]:
    timed = {peer: Timed() for peer in trials}
    for number in range(rounds):
        _say(f"round {number + 1} of {rounds}")
        for program in programs:
            for peer, trial in trials.items():
                answer = await trial.ask(program.case)
                result = timed[peer]
                result.seconds[program].append(answer.seconds)
                result.peak_bytes = max(result.peak_bytes, answer.peak_bytes)
                if answer.passed != program.right:
                    (result.refused if program.right else result.believed).add(program.name)
    for peer, trial in trials.items():
        timed[peer].resting_bytes = trial.harness.memory()
    return timed


def _speeds(
    trials: Mapping[Peer, Trial],
    timed: Mapping[Peer, Timed],
    programs: Sequence[Program],
    rounds: int,
    missing: Mapping[Peer, str],
) -> Table:
    base = {program: median(timed[PLAIN].seconds[program]) for program in programs}
    right = sum(program.right for program in programs)
    rows = []
    for peer, result in timed.items():
        medians = {program: median(result.seconds[program]) for program in programs}
        rows.append(
            (
                f"{peer.title} {trials[peer].harness.version}",
                f"{right - len(result.refused)} of {right}",
                f"{len(programs) - right - len(result.believed)} of {len(programs) - right}",
                milliseconds(median(medians.values())),
                f"{median(medians[program] / base[program] for program in programs):.1f}",
                f"{result.peak_bytes / 1e6:.0f} MB",
                f"{result.resting_bytes / 1e6:.0f} MB",
            )
        )
    note = (
        f"{len(programs)} programs with tests in {rounds} rounds, all harnesses in turn. For Assay "
        "right is what it calls `verified`, after checking imports, execution and tests; the "
        "others are given the tests behind the code. Memory: the most that the harness's own "
        "process had, and what all its processes have at rest, those of runs prestarted included."
    )
    for peer, reason in missing.items():
        note += f" {peer.title} could not be measured: {reason}"
    return Table(
        columns=(
            "harness", "right accepted", "wrong refused", "median time", "times plain Python",
            "peak memory", "memory at rest",
        ),
        rows=tuple(rows),
        note=note,
    )  # fmt: skip


async def _abuses(trials: Mapping[Peer, Trial], abuses: Sequence[Abuse]) -> Table:
    said: dict[Peer, list[str]] = {peer: [] for peer in trials}
    for abuse in abuses:
        for peer, trial in trials.items():
            _say(f"{peer.title}: {abuse.name}")
            said[peer].append(await trial.abuse(abuse))
    return _matrix(
        "what the program does",
        [abuse.name for abuse in abuses],
        said,
        "held",
        f"An abuse is held if the harness answers within {ANSWER_SECONDS:g} s (it is told "
        f"{SECONDS} s a case), lives on and "
        "judges the next program rightly; if all that runs stays within 1 GiB and 256 processes; "
        "if 5 s later no process and no work is left; and if the program got nothing of what it "
        "was after: a decoy file, a decoy key, a connection to a decoy, 256 MB of disk, 4,000 open "
        "files. smolagents holds most of them by refusing what they import.",
    )


async def _fakes(trials: Mapping[Peer, Trial], fakes: Sequence[Fake]) -> Table:
    said: dict[Peer, list[str]] = {peer: [] for peer in trials}
    for fake in fakes:
        for peer, trial in trials.items():
            answer = await trial.ask(fake.case, watched=True)
            said[peer].append("believed" if answer.passed else "refused")
    return _matrix(
        "what the wrong program does",
        [fake.name for fake in fakes],
        said,
        "refused",
        "A fake is believed if the harness says that its tests passed.",
    )


def _matrix(
    title: str, names: Sequence[str], said: Mapping[Peer, list[str]], good: str, note: str
) -> Table:
    rows = [(name, *cells) for name, *cells in zip(names, *said.values(), strict=True)]
    sums = [f"{cells.count(good)} of {len(cells)}" for cells in said.values()]
    return Table(
        columns=(title, *(peer.title for peer in said)),
        rows=(*rows, (f"**{good}**", *sums)),
        note=note,
    )


def _say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)
