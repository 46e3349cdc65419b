"""Disks that are full, closed or damaged: the answer is given, and no file of the user's lost."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

CODE = "def add(a, b):\n    return a + b\n"
SYSTEM_PYTHON = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
REPLY = f"```python\n{CODE}```\n"


def full_at(size: int) -> list[str]:
    """The command on a disk that is full as soon as a file has `size` bytes."""
    program = (
        "import os, resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'assay', *sys.argv[1:]])\n"
    )
    return [sys.executable, "-c", program]


def with_small_disk(folder: Path, after: str = "") -> list[str]:
    """The command in a mount namespace of its own, where `folder` is a disk of 64 KiB."""
    script = (
        f"mount -t tmpfs -o size=64k none '{folder}' && \"$@\"; "
        f"status=$?; {after or ':'}; exit $status"
    )
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    return [*unshare, "sh", "-c", script, "sh", sys.executable, "-m", "assay"]


def test_a_full_disk_before_the_session(assay: Assay, script: Script, tmp_path: Path) -> None:
    data = tmp_path / "assay-data"
    data.mkdir()
    done = assay("ask", "Add.", "--model", script([REPLY]), "--json", command=with_small_disk(data))
    assert done.status == 1
    assert "There is no room left to write" in done.sentence
    assert "ASSAY_DATA_FOLDER" in done.sentence
    assert done.json["error"]["kind"] == "store"


def test_a_disk_that_gets_full_takes_no_answer_away(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    assert assay("sessions").status == 0
    full = full_at((tmp_path / "assay-data" / "assay.db").stat().st_size + 300_000)
    long = "# " + "x" * 300_000 + "\n" + CODE
    replies = [REPLY.replace("+", "-"), f"```python\n{long}```\n"]
    out = tmp_path / "out"
    done = assay(
        *("ask", "Add.", "--example", "add(1, 2) == 3", "--model", script(replies)),
        *("-o", out, "--json"),
        command=full,
    )
    assert done.status == 1
    assert "Make room on its disk" in done.sentence
    assert done.json["error"]["kind"] == "store"
    assert done.json["solution"]["files"][0]["source"] == CODE.replace("+", "-")
    assert (out / "solution.py").read_text() == CODE.replace("+", "-")
    listed = assay("sessions", "--json")
    assert [one["id"] for one in listed.json["sessions"]] == [done.json["session"]]


def test_a_receipt_that_cannot_be_written(assay: Assay, script: Script, tmp_path: Path) -> None:
    (tmp_path / "assay-data").mkdir()
    (tmp_path / "assay-data" / "receipts").write_text("mine")
    done = assay("ask", "Add.", "--model", script([REPLY]), "--json")
    assert done.status == 1
    assert "receipts" in done.sentence
    assert done.json["solution"]["files"][0]["source"] == CODE
    assert done.json["receipt"] is None
    assert "def add" in assay("show", done.json["session"]).out


def test_a_full_disk_for_the_files(assay: Assay, script: Script, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    long = "# " + "x" * 100_000 + "\n" + CODE
    done = assay(
        *("ask", "Add.", "--model", script([f"```python\n{long}```\n"]), "-o", out),
        command=with_small_disk(out, after=f"ls '{out}' >&2"),
    )
    assert done.status == 1
    assert "cannot be written (No space left on device)" in done.sentence
    assert done.out == long
    assert "solution.py" not in done.err.splitlines(), "no file that is cut"


def test_stdout_on_a_full_disk(assay: Assay, script: Script, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        for more in ([], ["--json"]):
            done = assay("ask", "Add.", "--model", script([REPLY]), *more, stdout=full)
            assert done.status == 1
            assert "cannot be written (No space left on device)" in done.sentence
            session = done.err.split("session ")[1].split()[0]
            assert CODE.strip() in assay("show", session).out


def test_a_home_that_cannot_be_written(
    assay: Assay, ordinary: list[str], script: Script, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    env = {"HOME": str(home), "ASSAY_DATA_FOLDER": "", "ASSAY_CACHE_FOLDER": ""}
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        env[name] = ""
    # For root the sandbox is another user, who can read the system's Python only.
    ask = ("ask", "Add.", "--model", script([REPLY]), "--python", SYSTEM_PYTHON, "--json")
    done = assay(*ask, env=env, command=ordinary)
    assert done.status == 1
    assert "may not be written" in done.sentence
    assert "Set ASSAY_DATA_FOLDER" in done.sentence
    code = tmp_path / "add.py"
    code.write_text(CODE)
    check = ("check", code, "--example", "add(1, 2) == 3", "--python", SYSTEM_PYTHON)
    assert assay(*check, env=env, command=ordinary).status == 0
    told = assay("doctor", "--json", env=env, command=ordinary)
    folders = {one["name"]: one for one in told.json["folders"]}
    assert "ASSAY_DATA_FOLDER" in folders["data"]["advice"]
    done = assay(*ask, env={**env, "ASSAY_DATA_FOLDER": str(tmp_path / "data")}, command=ordinary)
    assert done.status == 0, done.err
    docs = tmp_path / "page.md"
    docs.write_text("# Page\n\nText.\n")
    assert assay("docs", docs, env=env, command=ordinary).status == 0


def test_no_home_at_all(assay: Assay, script: Script, tmp_path: Path) -> None:
    """Nothing is put into a folder called ~."""
    program = (
        "import os, pwd, sys\n"
        "import assay\n"
        "def nobody(uid):\n"
        "    raise KeyError(uid)\n"
        "pwd.getpwuid = nobody\n"
        "os.environ = {k: v for k, v in os.environ.items() if k != 'HOME'}\n"
        "from assay.surfaces.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program]
    env = {"ASSAY_DATA_FOLDER": "", "ASSAY_CACHE_FOLDER": "", "XDG_DATA_HOME": ""}
    env |= {"XDG_CACHE_HOME": ""}
    done = assay("sessions", env=env, command=command)
    assert done.status == 2
    assert "ASSAY_DATA_FOLDER" in done.sentence
    assert not list((tmp_path / "here").iterdir())


def test_a_damaged_database(assay: Assay, script: Script, tmp_path: Path) -> None:
    database = tmp_path / "assay-data" / "assay.db"
    database.parent.mkdir()
    database.write_bytes(b"this is no database" * 1000)
    before = database.read_bytes()
    for arguments in (
        ["ask", "Add.", "--model", script([REPLY]), "--json"],
        ["sessions", "--json"],
    ):
        done = assay(*arguments)
        assert done.status == 1
        assert "is damaged" in done.sentence
        assert "Move it away" in done.sentence
        assert done.json["error"]["kind"] == "store"
    assert database.read_bytes() == before
    database.unlink()
    assert assay("sessions").status == 0
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    done = assay("sessions")
    assert done.status == 1
    assert "A newer Assay wrote the database" in done.sentence


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot be read"), (b"<html>", "is no GGUF file"), (b"GGUF" + b"\0" * 5000, "gguf")],
    ids=["missing", "no GGUF", "damaged"],
)
def test_a_model_file_that_is_none(
    assay: Assay, tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    env = {"ASSAY_ALLOW_MODEL_CALLS": "true"}
    done = assay("ask", "Add.", "--model", f"embedded:{path}", "--json", env=env)
    assert done.status == (3 if content and content.startswith(b"GGUF") else 2)
    assert said in done.sentence
    assert done.json["error"]["message"]


def test_folders_for_the_answer_that_are_none(assay: Assay, script: Script, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "link").symlink_to(elsewhere)
    (tmp_path / "file").write_text("mine")
    for name, said in [("link", "symbolic link"), ("file", "is not a folder")]:
        done = assay("ask", "Add.", "--model", script([REPLY]), "-o", tmp_path / name)
        assert done.status == 2
        assert said in done.sentence
    assert (tmp_path / "file").read_text() == "mine"
    out = tmp_path / "out"
    out.mkdir()
    (out / "inner").symlink_to(elsewhere)
    reply = f"`inner/add.py`:\n```python\n{CODE}```\n"
    done = assay("ask", "Add.", "--model", script([reply]), "-o", out, "--json")
    assert done.status == 2
    assert "symbolic link" in done.sentence
    assert done.json["error"]["kind"] == "bad_input"
    assert done.json["solution"]["files"][0]["path"] == "inner/add.py"
    assert not list(elsewhere.iterdir())
