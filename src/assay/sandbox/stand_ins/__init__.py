"""Programs that play a model's API inside a sandbox, and how a job gets them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import PurePosixPath

from assay.sandbox.protocol import SUPPORT, Job, Toolchain
from assay.sandbox.python_toolchain import own_interpreter, prefix_binds

FOLDER = "stand_ins"


def with_stand_ins(job: Job) -> Job:
    """The job with its stand-ins in front of the program, and a Python to run them.

    Raises:
        ToolchainMissing: Assay's own Python cannot be asked where it is installed.
    """
    if not job.stand_ins:
        return job
    interpreter = own_interpreter()
    command = job.command
    support = dict(job.support)
    for name in job.stand_ins:
        path = PurePosixPath(FOLDER, f"{name}.py")
        support[str(path)] = _source(name)
        # Neither the user's variables nor packages count for it: -I and -S.
        front = (interpreter.executable, "-I", "-S", str(PurePosixPath(SUPPORT, path)))
        command = (*front, *command)
    own = {inside: outside for outside, inside in job.toolchain.binds}
    more = tuple(bind for bind in prefix_binds(interpreter) if bind[1] not in own)
    toolchain: Toolchain = replace(job.toolchain, binds=(*job.toolchain.binds, *more))
    return replace(job, command=command, support=support, toolchain=toolchain)


@cache
def _source(name: str) -> bytes:
    return (resources.files(__package__) / f"{name}.py").read_bytes()
