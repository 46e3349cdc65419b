"""Where a language's interpreter is on this machine, and what a run must see of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from assay.domain.task import Grants
from assay.errors import ToolchainMissing
from assay.sandbox.languages import Language
from assay.sandbox.protocol import Toolchain
from assay.sandbox.python_toolchain import find_python

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
"""What every run sees of the system, read-only."""

PROBE_SECONDS = 20


def find_toolchain(language: Language, grants: Grants, cache_folder: Path) -> Toolchain:
    """Find the language's interpreter with the packages that were granted.

    Args:
        language: what is to be run.
        grants: `python` and `requirements` count, for Python alone.
        cache_folder: where environments with granted packages are kept.

    Raises:
        ToolchainMissing: there is none; the message says how to get one.
        PackagesError: granted packages cannot be installed.
    """
    if language.name == "python":
        return find_python(language, grants, cache_folder)
    for name in language.executables:
        found = shutil.which(name)
        if found and (probed := _probe(found, language.probe)):
            executable, version = probed
            binds = () if in_system_folders(executable) else ((executable, executable),)
            return Toolchain(language.name, executable, version, binds, env=language.env)
    raise ToolchainMissing(f"{language.title} cannot be run here. {language.install}")


def in_system_folders(path: str) -> bool:
    """Whether a run sees `path` anyway."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in SYSTEM_FOLDERS)


@cache
def _probe(path: str, arguments: tuple[str, ...]) -> tuple[str, str] | None:
    """Ask an interpreter (or a version manager's shim before it) where it is, and its version."""
    try:
        done = subprocess.run(
            [path, *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PROBE_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.splitlines()
    if len(lines) != 2 or not Path(lines[0]).is_absolute():
        return None
    return os.path.realpath(lines[0]), lines[1]
