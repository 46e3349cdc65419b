"""The soak, with few programs; and what it would not miss."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bench.soak import hostile
from bench.soak.generating import generate
from bench.soak.looking import files_in, leftover_processes, size_of
from bench.soak.program import Program
from bench.soak.watching import MEASURES, Shown, soak

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_minute_leaves_nothing_behind() -> None:
    shown = soak(seconds=60, round_seconds=6, seed=1)
    assert shown.wrongs == []
    assert shown.closings >= 2
    assert shown.outcomes.total() > 0
    assert set(shown.left) == {"processes", "files", "mounts", "control groups"}
    sizes, left, programs = shown.tables()
    assert [row[0] for row in sizes.rows] == [measure.name for measure in MEASURES]
    assert {row[1] for row in left.rows} == {"0"}
    assert programs.rows


@pytest.mark.timeout(300)
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_one_that_is_stopped_shows_what_it_has_seen(stop: signal.Signals) -> None:
    command = [sys.executable, "-m", "bench.soak", "--no-page", "--seconds", "36"]
    with subprocess.Popen(
        ["env", "--default-signal=INT", *command],  # a shell's background jobs ignore it
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr
        assert "programs" in running.stderr.readline()
        running.send_signal(stop)
        shown, wrongs = running.communicate(timeout=250)
    assert running.returncode == 130, wrongs
    assert "minutes (stopped, of 1)" in shown
    assert "| processes | 0 |" in shown
    assert "Assay was closed 1 times" in shown


def test_a_soak_has_programs_of_all_kinds_and_the_same_ones_again() -> None:
    made = generate(7, 100)
    kinds = {program.kind for program in made}
    assert {"right", "wrong", "tested", "statements", "cases of the tests"} <= kinds
    assert kinds & (hostile.PROGRAMS.keys() | hostile.JUDGED.keys())
    assert {program.expected for program in made} == {"verified", "not verified", "anything"}
    assert made == generate(7, 100) != generate(8, 100)
    assert [Program.from_json(program.to_json()) for program in made] == made


def test_hostile_programs_are_programs() -> None:
    for code in (*hostile.PROGRAMS.values(), *hostile.JUDGED.values()):
        ast.parse(hostile.with_number(code, 7))


def test_what_was_left_is_seen(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "print(1, flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert any(one.startswith(f"{child.pid} ") for one in leftover_processes(worker=0))
        assert not any(one.startswith(f"{child.pid} ") for one in leftover_processes(child.pid))
        assert size_of(child.pid).memory_bytes > 1_000_000
        child.communicate(b"\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    assert files_in(tmp_path) == {str(tmp_path / "folder"), str(tmp_path / "folder" / "file")}


def test_growth_is_seen() -> None:
    shown = Shown()
    size = size_of(os.getpid())
    shown.looks = [size] * 8
    assert all(measure.is_flat(second, last) for measure, second, last in shown.growth())
    shown.looks[-2:] = [type(size)(size.memory_bytes * 2 + 10**8, size.descriptors + 99, 99)] * 2
    assert not any(measure.is_flat(second, last) for measure, second, last in shown.growth())
