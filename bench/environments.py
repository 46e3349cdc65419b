"""Environments that are made for one measure and thrown away after it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

TIMEOUT_SECONDS = 600.0
"""Against hanging; the largest takes half a minute."""


class CannotInstall(Exception):
    """A package cannot be had; its text is what pip said last."""


def make_environment(folder: Path, packages: Sequence[str] = ()) -> Path:
    """Make an environment in `folder` with the newest `packages`; returns its interpreter.

    Raises:
        CannotInstall: pip could not.
    """
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", str(folder)), check=True)
    python = folder / "bin" / "python"
    if packages:
        pip = (sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check")
        done = subprocess.run(
            (*pip, "install", "--quiet", "--no-input", *packages),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        if done.returncode:
            raise CannotInstall(done.stderr.strip().splitlines()[-1])
    return python
