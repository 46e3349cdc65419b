"""What `assay doctor` says of the sandbox: each wall is really tried."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from assay.domain.data import Data
from assay.domain.limits import MIB, RunLimits
from assay.domain.task import Grants
from assay.errors import NoSandbox, SandboxError
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.cgroups import Cgroups, find_cgroups
from assay.sandbox.languages import get_language, language_names
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Ending, Job, Run
from assay.sandbox.seccomp import system_call_filter
from assay.sandbox.toolchains import find_toolchain

_NAMESPACES = (
    "Allow user namespaces: `sysctl -w user.max_user_namespaces=10000`, on Debian also "
    "`kernel.unprivileged_userns_clone=1`, on Ubuntu "
    "`kernel.apparmor_restrict_unprivileged_userns=0`; in a container start it with "
    "`--security-opt seccomp=unconfined --security-opt systempaths=unconfined`. "
    "Or say --sandbox none to run code unprotected."
)
_TRIAL_LIMITS = RunLimits(wall_seconds=10, memory_bytes=96 * MIB, processes=8)
_HOG = "import time\nb = bytearray(400_000_000)\ntime.sleep(3)\nprint('had it')"
_FORKS = "import os, time\nfor _ in range(20):\n    os.fork() or time.sleep(30)\nprint('had them')"


class Finding(Data):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    """What was found."""
    advice: str = ""
    """What the person can do; empty where all is well."""


def diagnose_sandbox(cache_folder: Path) -> list[Finding]:
    """Try the sandbox and the toolchains of this machine; takes about a second.

    Not from inside an event loop: it runs one of its own.
    """
    return list(_findings(cache_folder))


def _findings(cache_folder: Path) -> Iterator[Finding]:
    if sys.platform != "linux":
        advice = "Use Linux, or say --sandbox none to run code unprotected."
        yield Finding(name="sandbox", ok=False, detail="only on Linux so far", advice=advice)
        return
    yield from _toolchains(cache_folder)
    try:
        path, version = find_bubblewrap()
    except NoSandbox as error:
        yield Finding(name="bubblewrap", ok=False, detail="not found", advice=str(error))
        return
    yield Finding(name="bubblewrap", ok=True, detail=f"{version} at {path}")
    cgroups = find_cgroups()
    sandbox = LinuxSandbox(path, version, cgroups)
    try:
        first = _try(sandbox, cache_folder, "print('well')")
    except SandboxError as error:
        yield Finding(name="sandbox", ok=False, detail=str(error), advice=_NAMESPACES)
        return
    well = first.stdout.text == "well\n"
    detail = f"a program ran in {first.seconds * 1000:.0f} ms" if well else first.stderr.text
    yield Finding(name="sandbox", ok=well, detail=detail, advice="" if well else _NAMESPACES)
    yield asyncio.run(_pool(LinuxSandbox(path, version, cgroups), _job(cache_folder, "a.py")))
    yield _memory(_try(sandbox, cache_folder, _HOG), cgroups)
    yield _processes(_try(sandbox, cache_folder, _FORKS), cgroups)
    yield _system_calls()


def _toolchains(cache_folder: Path) -> Iterator[Finding]:
    for name in language_names():
        language = get_language(name)
        try:
            toolchain = find_toolchain(language, Grants(), cache_folder)
        except SandboxError as error:
            detail = "not found"
            yield Finding(name=language.title, ok=False, detail=detail, advice=str(error))
        else:
            detail = f"{toolchain.version} at {toolchain.executable}"
            yield Finding(name=language.title, ok=True, detail=detail)


def _job(cache_folder: Path, *arguments: str) -> Job:
    python = find_toolchain(get_language("python"), Grants(), cache_folder)
    files = {"a.py": b"print('well')"}
    return Job((python.executable, *arguments), python, files, limits=_TRIAL_LIMITS)


def _try(sandbox: LinuxSandbox, cache_folder: Path, code: str) -> Run:
    return asyncio.run(sandbox.run(_job(cache_folder, "-I", "-c", code)))


async def _pool(sandbox: LinuxSandbox, job: Job) -> Finding:
    sandbox.open_pool()
    try:
        sandbox.expect(job)
        run = await sandbox.run(job)
    finally:
        await sandbox.aclose()
    if run.prestarted and run.stdout.text == "well\n":
        detail = f"a waiting Python ran a program in {run.seconds * 1000:.0f} ms"
        return Finding(name="prestarted Pythons", ok=True, detail=detail)
    advice = "Programs run as well without them, and start more slowly; please report this."
    detail = "a Python that was to wait for a program ended"
    return Finding(name="prestarted Pythons", ok=False, detail=detail, advice=advice)


def _memory(run: Run, cgroups: Cgroups | None) -> Finding:
    if run.ending is Ending.OUT_OF_MEMORY:
        detail = f"held by {_holder(cgroups, 'memory', 'a watcher')}"
        return Finding(name="memory limit", ok=True, detail=detail)
    detail = f"not held: a program over its limit ended as {run.ending.value}"
    advice = "Run where a memory cgroup can be made, or give programs to run only that you trust."
    return Finding(name="memory limit", ok=False, detail=detail, advice=advice)


def _processes(run: Run, cgroups: Cgroups | None) -> Finding:
    if "had them" not in run.stdout.text:
        detail = f"held by {_holder(cgroups, 'pids', 'RLIMIT_NPROC')}"
        return Finding(name="process limit", ok=True, detail=detail)
    advice = "Run Assay as an ordinary user, or where a pids cgroup can be made."
    detail = "not held: a program could fork beyond its limit"
    return Finding(name="process limit", ok=False, detail=detail, advice=advice)


def _system_calls() -> Finding:
    if system_call_filter():
        return Finding(name="system calls", ok=True, detail="filtered by seccomp")
    detail = f"not filtered: {os.uname().machine} is not known"
    advice = "Use a machine with an x86_64 or aarch64 processor for code that you do not trust."
    return Finding(name="system calls", ok=False, detail=detail, advice=advice)


def _holder(cgroups: Cgroups | None, controller: str, otherwise: str) -> str:
    if cgroups and cgroups.holds(controller):
        return f"a cgroup (version {cgroups.version})"
    return otherwise
