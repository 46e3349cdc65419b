"""The comparison with others, on Assay and plain Python alone: the others have to be fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from bench.environments import CannotInstall, make_environment
from bench.peers import measure as peers
from bench.peers.cases import (
    ORDINARY,
    SECONDS,
    Program,
    read_abuses,
    read_fakes,
    read_programs,
)
from bench.peers.decoys import Decoys
from bench.peers.harness import Harness, Lost
from bench.peers.peers import PLAIN, Peer
from bench.peers.serving import Case
from bench.peers.trial import Trial

UNSHARE = ("unshare", "--user", "--map-current-user", "--pid", "--fork", "--mount-proc", "true")

pytestmark = pytest.mark.skipif(
    shutil.which("unshare") is None or subprocess.run(UNSHARE, check=False).returncode != 0,
    reason="no fence can be made here: unshare cannot",
)


@pytest.fixture
def decoys(tmp_path: Path) -> Iterator[Decoys]:
    folder = tmp_path / "decoys"
    folder.mkdir()
    made = Decoys(folder)
    yield made
    made.close()


async def start_plain(decoys: Decoys) -> Harness:
    python = Path(sys.executable)
    return await Harness.start(python, PLAIN.module, [str(python)], decoys.environment)


@pytest.fixture
async def trial(decoys: Decoys) -> AsyncIterator[Trial]:
    made = Trial(await start_plain(decoys), lambda: start_plain(decoys), decoys)
    await made.warm_up()
    yield made
    made.close()


def test_there_are_as_many_cases_as_the_page_says() -> None:
    right = [program for program in read_programs() if program.right]
    assert (len(right), len(read_programs())) == (30, 50)
    assert len(read_abuses()) == 16
    assert len(read_fakes()) == 8


@pytest.mark.parametrize("program", read_programs(), ids=lambda one: f"{one.name}-{one.right}")
def test_programs_are_what_they_are_said_to_be(program: Program, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(program.case.program, "utf-8")
    try:
        done = subprocess.run(
            (sys.executable, "-I", "program.py"),
            cwd=tmp_path,
            capture_output=True,
            timeout=30 if program.right else SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        assert not program.right
    else:
        assert (done.returncode == 0) == program.right


async def test_tables_have_a_column_for_each_harness() -> None:
    programs = [one for one in read_programs() if one.name == "median"]
    abuse = next(one for one in read_abuses() if "environment" in one.name)
    fake = next(one for one in read_fakes() if "when it is called" in one.name)
    speeds, abuses, fakes = await peers.measure((), programs, [abuse], [fake], rounds=1)
    assert [row[0].split()[0] for row in speeds.rows] == ["plain", "Assay"]
    assert [row[1:3] for row in speeds.rows] == [("1 of 1", "1 of 1")] * 2
    assert abuses.columns[1:] == fakes.columns[1:] == ("Assay",)
    assert [row[1] for row in abuses.rows] == ["held", "1 of 1"]
    assert [row[1] for row in fakes.rows] == ["refused", "1 of 1"]


async def test_a_package_that_cannot_be_had_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path, packages: tuple[str, ...] = ()) -> Path:
        if packages:
            raise CannotInstall("there is none")
        return make_environment(folder)

    monkeypatch.setattr(peers, "make_environment", refuse)
    programs = [one for one in read_programs() if one.name == "median"]
    speeds, *_ = await peers.measure([Peer("other", "with_other", "other")], programs, [], [], 1)
    assert "other could not be measured: there is none" in speeds.note
    assert len(speeds.rows) == 2


async def test_what_is_not_held_is_said(trial: Trial) -> None:
    said = {}
    for abuse in read_abuses():
        words = ("environment", "loopback", "a file of the user's", "behind", "parent", "400")
        if any(word in abuse.name for word in words):
            said[abuse.name] = await trial.abuse(abuse)
    assert said == {
        "starts 400 processes": "without bound",
        "leaves a process behind": "left running",
        "kills its parent": "harness died",
        "reads a file of the user's": "read it",
        "writes a file of the user's": "wrote it",
        "reads a key in the environment": "read it",
        "connects to the machine's loopback": "connected",
    }


async def test_plain_python_believes_an_exit_status(trial: Trial) -> None:
    fake = next(one for one in read_fakes() if "os._exit" in one.name)
    assert (await trial.ask(fake.case)).passed


async def test_a_harness_that_is_lost_is_renewed(trial: Trial) -> None:
    killing = Case("import os\nos.kill(os.getppid(), 9)\n", "", SECONDS)
    lost = await trial.ask(killing)
    assert (lost.passed, lost.error) == (False, "harness died")
    assert (await trial.ask(ORDINARY)).passed


async def test_an_adapter_that_does_not_start_says_why(decoys: Decoys) -> None:
    with pytest.raises(Lost, match="No module named"):
        await Harness.start(Path(sys.executable), "with_nothing", [], decoys.environment)


async def test_all_behind_the_fence_ends_with_the_harness(decoys: Decoys) -> None:
    harness = await start_plain(decoys)
    abuse = next(one for one in read_abuses() if "behind" in one.name)
    answer = await harness.ask(abuse.case(decoys.home, decoys.port))
    assert answer.passed
    assert not await harness.is_at_rest()
    init = harness.init
    harness.close()
    with pytest.raises(ProcessLookupError):
        os.kill(init, 0)
