"""llm-sandbox's bubblewrap backend, with the limits that it offers set to those of Assay's runs."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version

from llm_sandbox import SandboxBackend, SandboxSession
from llm_sandbox.local.config import DEFAULT_READ_ONLY_PATHS, LocalSandboxConfig

from bench.peers.serving import Case, answer_cases

PYTHON, BWRAP, *FOLDERS = sys.argv[2:]
"""The interpreter, bubblewrap, and the folders that the interpreter needs."""
MIB = 1024 * 1024

CONFIG = LocalSandboxConfig(
    read_only_paths=(*DEFAULT_READ_ONLY_PATHS, *FOLDERS),
    python_executable=PYTHON,
    memory_limit_bytes=512 * MIB,
    cpu_time_limit=15,
    file_size_limit=64 * MIB,
    open_files_limit=256,
)


async def judge(case: Case) -> bool:
    """Run the program in a session of its own; passed is exit status 0."""
    session = SandboxSession(
        backend=SandboxBackend.BUBBLEWRAP,
        bwrap_path=BWRAP,
        lang="python",
        sandbox_config=CONFIG,
        skip_environment_setup=True,
    )
    with session:
        done = session.run(case.program, timeout=case.seconds)
    passed: bool = done.exit_code == 0
    return passed


if __name__ == "__main__":
    asyncio.run(answer_cases(version("llm-sandbox"), judge))
