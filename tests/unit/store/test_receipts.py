from __future__ import annotations

import contextlib
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.domain.answer import Status
from assay.domain.limits import RunLimits
from assay.domain.receipt import Environment, Receipt
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Attachment, TestFile
from assay.errors import ReceiptError, StoreError
from assay.store.receipts import (
    SIZE_LIMIT,
    changed_files,
    hashes_of,
    read_receipt,
    write_receipt,
)

WRITE_TO_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from assay.errors import StoreError
from assay.store.receipts import read_receipt, write_receipt
path = Path(sys.argv[1])
receipt = read_receipt(path).model_copy(update={"headline": "Later."})
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    write_receipt(receipt, path.parent)
except StoreError as error:
    print(error)
"""

SOLUTION = Solution(
    prefix="Adds.",
    language="python",
    files=(SolutionFile(path="solution.py", imports="import os", code="def f(): return 1\n"),),
)
TESTS = (TestFile(name="test_f.py", source="assert f() == 1"),)
ATTACHMENTS = (Attachment(name="data.bin", content=bytes(range(256))),)


def make_receipt(**changes: Any) -> Receipt:
    fields: dict[str, Any] = {
        "session": "20261130-n3k7q2xw",
        "created": "2026-11-30T12:00:00Z",
        "instructions": "Add – é 😀",
        "model": "scripted:x",
        "flow": "correct",
        "status": Status.VERIFIED,
        "headline": "1 of 1 tests passed.",
        "solution": SOLUTION,
        "tests": TESTS,
        "attachments": ATTACHMENTS,
        "environment": Environment(
            assay="0.1.0", platform="linux", sandbox="x", toolchain="Python", limits=RunLimits()
        ),
        "hashes": hashes_of(SOLUTION, TESTS, ATTACHMENTS),
    }
    return Receipt(**{**fields, **changes})


def write_changed(folder: Path, change: dict[str, Any]) -> Path:
    path = write_receipt(make_receipt(), folder)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    return path


def test_a_receipt_comes_back_as_it_was(tmp_path: Path) -> None:
    path = write_receipt(make_receipt(), tmp_path / "receipts")
    assert path == tmp_path / "receipts" / "20261130-n3k7q2xw.json"
    assert read_receipt(path) == make_receipt()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [child.name for child in path.parent.iterdir()] == [path.name]


def test_a_receipt_is_readable_and_stable(tmp_path: Path) -> None:
    one = write_receipt(make_receipt(), tmp_path / "one").read_text("utf-8")
    other = write_receipt(make_receipt(), tmp_path / "other").read_text("utf-8")
    assert one == other
    assert '\n  "instructions": "Add – é 😀",\n' in one


def test_an_earlier_receipt_is_replaced(tmp_path: Path) -> None:
    write_receipt(make_receipt(), tmp_path)
    path = write_receipt(make_receipt(headline="Later."), tmp_path)
    assert read_receipt(path).headline == "Later."


def test_a_receipt_that_says_the_same_is_left_as_it_is(tmp_path: Path) -> None:
    first = write_receipt(make_receipt(), tmp_path).stat()
    again = write_receipt(make_receipt(created="2030-01-01T00:00:00+00:00"), tmp_path)
    assert read_receipt(again) == make_receipt()
    assert again.stat().st_ino == first.st_ino


def test_a_full_disk_leaves_the_earlier_receipt(tmp_path: Path) -> None:
    path = write_receipt(make_receipt(), tmp_path)
    command = [sys.executable, "-c", WRITE_TO_A_FULL_DISK, str(path)]
    assert "Make room" in subprocess.check_output(command, text=True, timeout=60)
    assert read_receipt(path) == make_receipt()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("session", ["../up", "a/b", "/root", "..", ""])
def test_a_session_names_no_other_folder(tmp_path: Path, session: str) -> None:
    folder = tmp_path / "receipts"
    with pytest.raises(ReceiptError, match="cannot name a file"):
        write_receipt(make_receipt(session=session), folder)
    assert list(tmp_path.rglob("*.json")) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="ASSAY_DATA_FOLDER"):
        write_receipt(make_receipt(), tmp_path / "file" / "receipts")


def test_nothing_was_changed() -> None:
    assert changed_files(make_receipt()) == ()


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (
            {
                "solution": SOLUTION.model_copy(
                    update={"files": (SolutionFile(path="s", code="x"),)}
                )
            },
            ("solution/s", "solution/solution.py"),
        ),
        (
            {"tests": (TestFile(name="test_f.py", source="assert True"),)},
            ("tests/test_f.py",),
        ),
        ({"tests": ()}, ("tests/test_f.py",)),
        (
            {"attachments": (Attachment(name="data.bin", content=b""),)},
            ("attachments/data.bin",),
        ),
        (
            {"hashes": {}},
            ("attachments/data.bin", "solution/solution.py", "tests/test_f.py"),
        ),
    ],
)
def test_changed_files_are_named(change: dict[str, Any], names: tuple[str, ...]) -> None:
    assert changed_files(make_receipt().model_copy(update=change)) == names


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"version": 2}, "Update Assay"),
        ({"version": "1"}, "no version"),
        ({"surprise": 1}, "surprise"),
        ({"solution": {"files": [{"path": "a"}]}}, r"solution\.files\.0\.code"),
        ({"attachments": [{"name": "a", "content": "???"}]}, r"attachments\.0\.content"),
    ],
)
def test_what_is_wrong_with_a_receipt_is_said(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(ReceiptError, match=says):
        read_receipt(write_changed(tmp_path, change))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not a receipt"),
        (b"def f(): pass", "line 1 is not JSON"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[1]", "no version"),
        (b'{"a": 1}', "no version"),
        (b"null", "no version"),
        (b"[" * 200_000, "nested so deeply"),
        (b'{"version": ' + b"9" * 10_000 + b"}", "not a receipt"),
    ],
)
def test_other_files_are_no_receipts(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes(content)
    with pytest.raises(ReceiptError, match=says):
        read_receipt(path)


def test_a_receipt_that_was_cut_is_said_to_be_cut(tmp_path: Path) -> None:
    path = write_receipt(make_receipt(), tmp_path)
    whole = path.read_bytes()
    for length in range(1, len(whole) - 2, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(ReceiptError, match=r"ends in the middle|not UTF-8"):
            read_receipt(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(SIZE_LIMIT + 1)
    with pytest.raises(ReceiptError, match="larger than 128 MiB"):
        read_receipt(path)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(ReceiptError, match=r"is a folder|not a regular file"):
            read_receipt(path)
    for path in (tmp_path / "missing", tmp_path / "nul\0byte"):
        with pytest.raises(ReceiptError):
            read_receipt(path)


@given(position=st.integers(0), value=st.integers(0, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_byte_never_ends_in_another_error(
    tmp_path: Path, position: int, value: int
) -> None:
    path = write_receipt(make_receipt(), tmp_path)
    content = bytearray(path.read_bytes())
    content[position % len(content)] = value
    path.write_bytes(content)
    with contextlib.suppress(ReceiptError):
        changed_files(read_receipt(path))
