"""Files that a run leaves are brought back, and nothing else is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.sandbox.protocol import Job, Run, Sandbox
from assay.sandbox.unprotected import UnprotectedSandbox

LIMIT = Job.collect_bytes
Runner = Callable[[Job], Awaitable[Run]]
MakeJob = Callable[..., Job]

WRITE = """
import pathlib
pathlib.Path("a/b").mkdir(parents=True)
pathlib.Path("a/b/c.txt").write_bytes(b"\\xff\\n")
pathlib.Path("empty").touch()
"""
TRICKS = """
import os
os.symlink("OURS", "link")
os.symlink("solution.py", "inner")
os.symlink(".", "folder")
os.mkfifo("pipe")
os.mkdir("there")
with open("large", "wb") as file:
    file.truncate(LIMIT + 1)
with open("just", "wb") as file:
    file.truncate(LIMIT)
"""


async def test_what_a_run_leaves_comes_back(run_job: Runner, python_job: MakeJob) -> None:
    for _ in range(5):
        job = replace(python_job(WRITE), collect=("a/b/c.txt", "empty", "solution.py", "none"))
        run = await run_job(job)
        assert run.exit_status == 0, run.stderr.text
        assert run.files == {
            "a/b/c.txt": b"\xff\n",
            "empty": b"",
            "solution.py": job.files["solution.py"],
        }
    assert (await run_job(python_job(WRITE))).files == {}


async def test_it_comes_back_of_a_run_that_was_stopped_too(
    run_job: Runner, python_job: MakeJob
) -> None:
    job = replace(python_job(f"{WRITE}\nimport os\nos.kill(os.getpid(), 9)"), collect=("empty",))
    assert (await run_job(job)).files == {"empty": b""}


@pytest.mark.parametrize("kind", ["sandbox", "none"])
async def test_links_pipes_and_large_files_are_left_out(
    sandbox: Sandbox, python_job: MakeJob, tmp_path: Path, kind: str
) -> None:
    ours = tmp_path / "ours"
    ours.write_text("secret")
    code = TRICKS.replace("OURS", str(ours)).replace("LIMIT", str(LIMIT))
    names = ("link", "inner", "folder/solution.py", "pipe", "there", "large", "just", "just/x")
    run = await (sandbox if kind == "sandbox" else UnprotectedSandbox()).run(
        replace(python_job(code), collect=names)
    )
    assert run.exit_status == 0, run.stderr.text
    assert list(run.files) == ["just"]
