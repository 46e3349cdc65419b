"""A folder is changed as its difference was shown, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.checkin.folder import apply_changes, plan_changes
from assay.errors import BadInput, CheckInError


def test_a_plan_says_what_would_change(tmp_path: Path) -> None:
    (tmp_path / "same.py").write_text("x = 1\n")
    (tmp_path / "changed.py").write_text("x = 1\ny = 2\n")
    files = {"same.py": b"x = 1\n", "changed.py": b"x = 1\ny = 3\n", "a/new.py": b"z = 1\n"}
    changes = plan_changes(tmp_path, files)
    assert [(one.path, one.kind) for one in changes] == [
        ("a/new.py", "new"),
        ("changed.py", "changed"),
        ("same.py", "same"),
    ]
    assert "-y = 2\n+y = 3\n" in changes[1].difference
    assert changes[0].difference.startswith("--- /dev/null\n+++ b/a/new.py\n")
    assert not (tmp_path / "a").exists()


def test_it_is_applied_as_planned_and_a_second_time_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("echo 1\n")
    (tmp_path / "run.sh").chmod(0o755)
    files = {"run.sh": b"echo 2\n", "a/b/new.py": b"z = 1\n"}
    assert apply_changes(tmp_path, plan_changes(tmp_path, files)) == 2
    assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "a/b/new.py").read_bytes() == b"z = 1\n"
    assert apply_changes(tmp_path, plan_changes(tmp_path, files)) == 0


def test_a_file_that_changed_meanwhile_stops_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    changes = plan_changes(tmp_path, {"a.py": b"2", "b.py": b"2"})
    (tmp_path / "a.py").write_text("mine")
    with pytest.raises(CheckInError, match=r"a\.py has changed since"):
        apply_changes(tmp_path, changes)
    assert (tmp_path / "a.py").read_text() == "mine"
    assert not (tmp_path / "b.py").exists()


@pytest.mark.parametrize("path", ["link/x.py", "link", "../x.py", "/x.py", "a//b", "a/./b"])
def test_nothing_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(BadInput):
        plan_changes(folder, {path: b"x"})


def test_a_folder_in_a_files_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").mkdir()
    with pytest.raises(BadInput, match="is a folder"):
        plan_changes(tmp_path, {"a.py": b"x"})


def test_what_is_no_text_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\xff\x00")
    (change,) = plan_changes(tmp_path, {"a.bin": b"\xfe"})
    assert change.difference == "a.bin is not text, and changed.\n"
