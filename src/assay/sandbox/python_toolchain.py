"""Python interpreters: Assay's own without its packages, or one that the user names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from assay.domain.data import Data
from assay.domain.task import Grants
from assay.errors import PackagesError, ToolchainMissing
from assay.sandbox.languages import Language
from assay.sandbox.packages import install
from assay.sandbox.protocol import Toolchain

PACKAGES = "/packages"
"""Where granted packages lie when the interpreter keeps its own ones."""

PROBE_SECONDS = 20

_PROBE = """
import json, os, site, sys
print(json.dumps({
    "executable": sys.executable,
    "version": sys.version.split()[0],
    "prefixes": [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix],
    "sites": [p for p in site.getsitepackages() if os.path.isdir(p)],
}))
"""

_LIST_PACKAGES = """
import json
from importlib import metadata
print(json.dumps(sorted({
    f"{d.metadata['Name']}=={d.version}" for d in metadata.distributions() if d.metadata["Name"]
})))
"""


class Interpreter(Data):
    """What a Python interpreter says of itself."""

    executable: str
    version: str
    prefixes: tuple[str, ...]
    sites: tuple[str, ...]


def find_python(language: Language, grants: Grants, cache_folder: Path) -> Toolchain:
    """Find the interpreter and bind what it needs; see `toolchains.find_toolchain`."""
    if grants.python:
        path = shutil.which(os.path.expanduser(grants.python))  # noqa: PTH111
        interpreter = probe(str(Path(path).absolute())) if path else None
        if interpreter is None:
            raise ToolchainMissing(
                f"'{grants.python}' does not answer as Python 3. Give --python the path of an "
                "interpreter, such as .venv/bin/python."
            )
    else:
        interpreter = own_interpreter()
    binds = prefix_binds(interpreter)
    masks: tuple[str, ...] = () if grants.python else interpreter.sites
    packages = list_packages(interpreter.executable) if grants.python else ()
    env = dict(language.env)
    if grants.requirements and grants.requirements.strip():
        installed = install(interpreter.executable, grants.requirements, cache_folder)
        packages = tuple(sorted({*packages, *installed.packages}))
        if grants.python:
            env["PYTHONPATH"] = PACKAGES
            binds = (*binds, (str(installed.folder), PACKAGES))
        elif interpreter.sites:
            # Onto the interpreter's own place for packages, so that .pth files count too.
            binds = (*binds, (str(installed.folder), interpreter.sites[0]))
            masks = interpreter.sites[1:]
        else:
            raise PackagesError(
                f"{interpreter.executable} has no folder for packages. Make an environment with "
                "`python3 -m venv` and give its interpreter with --python."
            )
    return Toolchain(
        language.name,
        interpreter.executable,
        interpreter.version,
        binds,
        masks,
        env,
        packages=packages,
    )


def own_interpreter() -> Interpreter:
    """The interpreter that runs Assay; in a virtual environment, the one that it was made from.

    Raises:
        ToolchainMissing: it does not answer.
    """
    path = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    interpreter = probe(path)
    if interpreter is None:
        raise ToolchainMissing(
            f"{path}, which runs Assay, does not answer when it is asked for its version. Install "
            "Assay with another Python, or give one with --python."
        )
    return interpreter


def prefix_binds(interpreter: Interpreter) -> tuple[tuple[str, str], ...]:
    """Bind the interpreter's installation, unless it is a part of the system."""
    real = os.path.realpath(interpreter.executable)
    folders = {*interpreter.prefixes, *(os.path.realpath(p) for p in interpreter.prefixes)}
    if not any(real.startswith(f"{folder}/") for folder in folders):
        folders.add(real)
    wanted = sorted(f for f in folders if not f"{f}/".startswith("/usr/"))
    return tuple((folder, folder) for folder in wanted)


@cache
def probe(path: str) -> Interpreter | None:
    """Ask the interpreter (or a version manager's shim before it) what it is."""
    try:
        return Interpreter.model_validate(_ask(path, _PROBE))
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


@cache
def list_packages(path: str) -> tuple[str, ...]:
    """Ask the interpreter for `name==version` of its packages: three times as slow as `probe`.

    Raises:
        ToolchainMissing: it does not answer.
    """
    try:
        return tuple(_ask(path, _LIST_PACKAGES))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ToolchainMissing(
            f"{path} does not say which packages it has. Give --python another interpreter."
        ) from error


def _ask(path: str, program: str) -> Any:
    done = subprocess.run(
        [path, "-I", "-c", program],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=PROBE_SECONDS,
        check=True,
    )
    return json.loads(done.stdout)
