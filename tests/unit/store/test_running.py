from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from assay.store.running import Running

HOLD = """
import sys
from pathlib import Path
from assay.store.running import Running
Running(Path(sys.argv[1])).hold("s")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_session_is_held_until_it_is_released(tmp_path: Path) -> None:
    mine, other = Running(tmp_path / "running"), Running(tmp_path / "running")
    assert not other.is_held("s")
    mine.hold("s")
    assert mine.is_held("s")
    assert other.is_held("s")
    other.release("s")
    assert mine.is_held("s")
    mine.release("s")
    assert not other.is_held("s")
    assert list((tmp_path / "running").iterdir()) == []


def test_looking_does_not_hold(tmp_path: Path) -> None:
    running = Running(tmp_path)
    (tmp_path / "s.lock").touch()
    assert not running.is_held("s")
    assert not running.is_held("s")
    running.hold("s")
    running.release_all()
    assert not running.is_held("s")


def test_a_look_at_the_wrong_moment_is_no_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock
    looker = (tmp_path / "s.lock").open("w")
    flock(looker, fcntl.LOCK_SH)

    def look_until_tried(descriptor: int, how: int) -> None:
        try:
            flock(descriptor, how)
        except BlockingIOError:
            looker.close()
            raise

    monkeypatch.setattr(fcntl, "flock", look_until_tried)
    running = Running(tmp_path)
    running.hold("s")
    assert looker.closed
    running.release("s")


def test_a_session_is_held_once(tmp_path: Path) -> None:
    Running(tmp_path).hold("s")
    with pytest.raises(BlockingIOError):
        Running(tmp_path).hold("s")


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    running = Running(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        assert running.is_held("s")
        child.kill()
        child.wait(timeout=30)
    assert not running.is_held("s")
    running.forget("s")
    assert list(tmp_path.iterdir()) == []
