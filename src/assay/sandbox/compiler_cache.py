"""What a compiler has compiled beforehand: filled once by a program of Assay's own, then read-only.

Without it, each run would compile the standard library anew. No run writes into it, so nothing that
is generated can change what other programs are made of.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from filelock import FileLock

from assay.errors import ToolchainMissing
from assay.sandbox.languages import Cache, Language
from assay.sandbox.protocol import Toolchain

SECONDS = 300
"""What filling it may take."""
INSIDE = "/cache"


def with_cache(toolchain: Toolchain, language: Language, cache_folder: Path) -> Toolchain:
    """The toolchain with its cache bound read-only; filled first where it is not there.

    Raises:
        ToolchainMissing: the compiler cannot compile our own program.
    """
    cache = language.cache
    if cache is None:
        return toolchain
    key = "\0".join((toolchain.executable, toolchain.version, repr(cache), repr(language.env)))
    name = f"{language.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    folder = cache_folder / "compilers" / name
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            _fill(folder, cache, toolchain, language)
    return replace(
        toolchain,
        binds=(*toolchain.binds, (str(folder), INSIDE)),
        env={**toolchain.env, cache.variable: INSIDE},
    )


def has_cache(language: Language, cache_folder: Path) -> bool:
    """Whether a cache of this language has been filled, be it of another version."""
    return any(path.is_dir() for path in (cache_folder / "compilers").glob(f"{language.name}-*"))


def _fill(folder: Path, cache: Cache, toolchain: Toolchain, language: Language) -> None:
    filled = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        with tempfile.TemporaryDirectory(prefix="assay-") as work:
            for name, text in cache.files.items():
                (Path(work) / name).write_text(text, "utf-8")
            subprocess.run(
                language.fill(cache.command, toolchain, ""),
                cwd=work,
                env={
                    "PATH": os.defpath,
                    "HOME": work,
                    **language.env,
                    cache.variable: str(filled),
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
        # Whoever a run is started as has to be able to read it.
        for path in (filled, *filled.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        filled.rename(folder)
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(filled, ignore_errors=True)
        said = getattr(error, "stderr", None) or str(error).encode()
        lines = said.decode("utf-8", "replace").strip().splitlines()
        raise ToolchainMissing(
            f"{language.title} at {toolchain.executable} cannot compile a first program "
            f"({lines[-1] if lines else error}). {language.install}"
        ) from error
