"""Where checks run: for the receipt, and for the prompt."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from assay.checks.rig import find_toolchain_aside
from assay.checks.subject import Subject
from assay.domain.limits import MIB
from assay.domain.receipt import Environment
from assay.sandbox.languages import get_language
from assay.sandbox.protocol import Sandbox

MAX_SAID_PACKAGES = 100

_NO_INPUT = ", and nobody answers on standard input"
_STAND_INS = {"openai": "only OpenAI's API answers as usual, and its key is set"}


async def describe_environment(
    subject: Subject, sandbox: Sandbox, cache_folder: Path
) -> Environment:
    """What the subject's checks run in.

    Raises:
        UnknownName: a language that cannot be run.
        ToolchainMissing: its interpreter is not on this machine.
        PackagesError: granted packages cannot be installed.
    """
    language = get_language(subject.language)
    toolchain = await find_toolchain_aside(language, subject.grants, cache_folder)
    return Environment(
        assay=version("assay"),
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        sandbox=sandbox.description,
        toolchain=f"{language.title} {toolchain.version}",
        packages=toolchain.packages,
        limits=subject.run_limits or language.limits,
    )


def say_environment(
    environment: Environment, stand_ins: Sequence[str] = (), *, has_input: bool = False
) -> str:
    """What a prompt says of it: the interpreter, what can be imported, the limits.

    Args:
        environment: where the code runs.
        stand_ins: model APIs that are played there.
        has_input: whether it is run with something on its standard input.
    """
    packages = environment.packages[:MAX_SAID_PACKAGES]
    more = len(environment.packages) - len(packages)
    listed = ", ".join(packages) + (f" and {more} more" if more else "")
    limits = environment.limits
    reached = "".join(f"; {_STAND_INS[name]}" for name in stand_ins)
    return (
        f"The code runs on {environment.toolchain}, "
        f"with the standard library and {listed or 'no other packages'}. "
        f"There is no network{reached}{'' if has_input else _NO_INPUT}. "
        f"It has {limits.wall_seconds:g} seconds and {limits.memory_bytes // MIB} MiB of memory."
    )
