"""Environments with the packages that a user granted: wheels only, made once, kept in the cache."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from assay.errors import PackagesError

INSTALL_SECONDS = 1800
LAST_LINES = 12


class Installed(NamedTuple):
    """A folder for `sys.path`, and what is in it."""

    folder: Path
    packages: tuple[str, ...]
    """`name==version`."""


def install(interpreter: str, requirements: str, cache_folder: Path) -> Installed:
    """Install `requirements` for `interpreter`, or take what was installed for them before.

    Args:
        interpreter: path of the Python that will import the packages.
        requirements: text of a requirements file.
        cache_folder: environments lie in its folder `envs`.

    Raises:
        PackagesError: pip could not install them; the message has its last lines.
    """
    key = hashlib.sha256(f"{interpreter}\0{requirements}".encode()).hexdigest()[:32]
    envs = cache_folder / "envs"
    folder = envs / key
    try:
        envs.mkdir(parents=True, exist_ok=True)
        with FileLock(envs / f"{key}.lock"):
            if not folder.is_dir():
                for left in envs.glob(f"{key}-*"):
                    # Of a process that was killed while it installed.
                    shutil.rmtree(left, ignore_errors=True)
                _make(interpreter, requirements, folder)
    except OSError as error:
        raise PackagesError(
            f"The granted packages cannot be kept in {envs}: {error.strerror or error}. Make room "
            "there, or set ASSAY_CACHE_FOLDER to another folder."
        ) from error
    found = metadata.distributions(path=[str(folder)])
    packages = {f"{one.metadata['Name']}=={one.version}" for one in found}
    return Installed(folder, tuple(sorted(packages)))


def _make(interpreter: str, requirements: str, folder: Path) -> None:
    """Install into a folder beside, and rename: what is there under its name is whole."""
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}-", dir=folder.parent) as temporary:
        listed = Path(temporary, "requirements.txt")
        listed.write_text(requirements, "utf-8")
        target = Path(temporary, "packages")
        target.mkdir(mode=0o755)
        pip = [sys.executable, "-m", "pip", "--python", interpreter, "--disable-pip-version-check"]
        options = ["--no-input", "--only-binary=:all:", "--target", str(target)]
        try:
            done = subprocess.run(
                [*pip, "install", *options, "--requirement", str(listed)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=INSTALL_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise PackagesError(
                f"pip did not end within {INSTALL_SECONDS // 60} minutes. Check the network, or "
                "install the packages yourself and give the interpreter with --python."
            ) from error
        if done.returncode:
            last = "\n".join(done.stdout.strip().splitlines()[-LAST_LINES:])
            raise PackagesError(
                "The packages of --requirements cannot be installed. Only wheels are taken; check "
                "names and versions, or install them yourself and give the interpreter with "
                f"--python. pip said:\n{last}"
            )
        target.rename(folder)
