"""Runners that wait for a job: none can be reached by another's, and none remembers one."""

from __future__ import annotations

from pathlib import Path

from assay.domain.task import Grants
from assay.sandbox.languages import get_language
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Job, Run
from assay.sandbox.toolchains import find_toolchain

SECRET = "sk-of-another-job"
LOOK = """
import glob, os
found = [path for top in ("/work", "/tmp", "/dev/shm", "/assay")
         for path in glob.glob(top + "/**", recursive=True) if path != top + "/"]
print("files", sorted(found))
started_with = open("/proc/self/environ").read()
print("environment", "of-another-job" in repr(os.environ) + started_with)
print("processes", sorted(p for p in os.listdir("/proc") if p.isdigit()))
print("descriptors", sorted(os.listdir("/proc/self/fd")))
print("sockets", open("/proc/net/unix").read().count("\\n") - 1)
"""


async def run(pooled: LinuxSandbox, code: str, env: dict[str, str]) -> Run:
    python = find_toolchain(get_language("python"), Grants(), Path())
    job = Job((python.executable, "a.py"), python, {"a.py": code.encode()}, env=env)
    pooled.expect(job)
    found = await pooled.run(job)
    assert found.prestarted
    return found


async def test_nothing_of_one_job_can_be_seen_by_the_next(pooled: LinuxSandbox) -> None:
    leave = f"""
import os
for folder in ("/work", "/tmp", "/dev/shm", "/assay"):
    open(folder + "/left", "w").write("{SECRET}")
os.environ["LEFT"] = "{SECRET}"
print(os.environ["KEY"])
"""
    first = await run(pooled, leave, {"KEY": SECRET})
    assert first.stdout.text == f"{SECRET}\n"
    for _ in range(3):
        second = await run(pooled, LOOK, {})
        lines = dict(line.split(" ", 1) for line in second.stdout.text.splitlines())
        assert lines["files"] == "['/work/a.py']"
        assert lines["environment"] == "False"


async def test_a_runner_that_waits_cannot_be_reached(pooled: LinuxSandbox) -> None:
    await run(pooled, "pass", {})
    await run(pooled, "pass", {})
    look = await run(pooled, LOOK, {})
    lines = dict(line.split(" ", 1) for line in look.stdout.text.splitlines())
    # bubblewrap's first process and the program itself.
    assert lines["processes"] == "['1', '2']"
    # The last one is that of the listing itself.
    assert lines["descriptors"] == "['0', '1', '2', '3']"
    assert lines["sockets"] == "0"


async def test_a_job_that_spoils_all_it_can_reach_spoils_no_other(pooled: LinuxSandbox) -> None:
    spoil = """
import os, signal
for folder in ("/work", "/tmp", "/dev/shm", "/assay"):
    open(folder + "/sitecustomize.py", "w").write("raise SystemExit('spoilt')")
    open(folder + "/json.py", "w").write("raise SystemExit('spoilt')")
os.kill(-1, signal.SIGKILL)
"""
    for _ in range(3):
        await run(pooled, spoil, {})
        after = await run(pooled, "import json, sys\nprint(json.dumps([1]))", {})
        assert (after.stdout.text, after.stderr.text) == ("[1]\n", "")
