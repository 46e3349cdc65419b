"""autogen-ext's local command line executor."""

from __future__ import annotations

import asyncio
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor

from bench.peers.serving import Case, answer_cases

PYTHON = sys.argv[2]
ENVIRONMENT = SimpleNamespace(env_exe=PYTHON, bin_path=str(Path(PYTHON).parent))


async def judge(case: Case) -> bool:
    """Run the program in a folder of its own; passed is exit status 0."""
    with TemporaryDirectory() as folder:
        executor = LocalCommandLineCodeExecutor(
            timeout=case.seconds, work_dir=folder, virtual_env_context=ENVIRONMENT
        )
        await executor.start()
        done = await executor.execute_code_blocks(
            [CodeBlock(language="python", code=case.program)], CancellationToken()
        )
        await executor.stop()
    passed: bool = done.exit_code == 0
    return passed


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # it warns of itself each time
    asyncio.run(answer_cases(version("autogen-ext"), judge))
