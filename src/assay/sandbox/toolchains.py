"""Where a language's interpreter or compiler is on this machine, and what a run must see of it."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

from assay.domain.task import Grants
from assay.errors import ToolchainMissing
from assay.sandbox.languages import Language, get_language
from assay.sandbox.protocol import Toolchain
from assay.sandbox.python_toolchain import find_python

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
"""What every run sees of the system, read-only."""

PROBE_SECONDS = 20

_NUMBER = re.compile(r"\d+(?:\.\d+)+")


def find_toolchain(language: Language, grants: Grants, cache_folder: Path) -> Toolchain:
    """Find the language's interpreter or compiler, with the packages that were granted.

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
        path = shutil.which(name)
        found = _found(path, language) if path else None
        if found is None:
            continue
        executable, home, version = found
        toolchain = Toolchain(
            language.name,
            executable,
            version,
            binds=(*_binds(executable, home), *_seen(language.seen)),
            env=language.env,
            home=home,
        )
        if language.also:
            toolchain = _with_other(toolchain, get_language(language.also), grants, cache_folder)
        return toolchain
    raise ToolchainMissing(f"{language.title} cannot be run here. {language.install}")


def _found(path: str, language: Language) -> tuple[str, str, str] | None:
    """The executable, its installation's folder and its version, as it says itself."""
    if language.probe:
        lines = (_ask(path, language.probe) or "").splitlines()
        if len(lines) != 2 or not Path(lines[0]).is_absolute():
            return None
        executable, version = os.path.realpath(lines[0]), lines[1]
    else:
        number = _NUMBER.search(_ask(path, language.version) or "")
        if number is None:
            return None
        executable, version = os.path.realpath(path), number[0]
    if language.home:
        home = (_ask(path, language.home) or "").strip()
        # Behind a version manager's shim is the executable of the folder that it names.
        executable = os.path.realpath(Path(home) / "bin" / Path(path).name)
        return (executable, home, version) if os.access(executable, os.X_OK) else None
    return executable, str(Path(executable).parent.parent), version


def _binds(executable: str, home: str) -> tuple[tuple[str, str], ...]:
    """What a run must see of it: nothing of the system's, the folder that it was installed in."""
    if in_system_folders(executable):
        return ()
    # /home/me/bin/tool: the folder above it is no installation.
    is_installation = Path(executable).parent.name == "bin" and (Path(home) / "lib").is_dir()
    place = home if is_installation else executable
    return ((place, place),)


def _seen(patterns: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Where a system keeps a toolchain's configuration apart from it."""
    found = sorted(path for pattern in patterns for path in glob.glob(pattern))  # noqa: PTH207
    return tuple((path, path) for path in found)


def _with_other(
    toolchain: Toolchain, other: Language, grants: Grants, cache_folder: Path
) -> Toolchain:
    """The toolchain with another one that its runs need."""
    found = find_toolchain(other, grants, cache_folder)
    return replace(toolchain, binds=(*toolchain.binds, *found.binds), also=found.executable)


def in_system_folders(path: str) -> bool:
    """Whether a run sees `path` anyway."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in SYSTEM_FOLDERS)


@cache
def _ask(path: str, arguments: tuple[str, ...]) -> str | None:
    """What a toolchain (or a version manager's shim before it) says; None where it does not."""
    try:
        done = subprocess.run(
            [path, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PROBE_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout
