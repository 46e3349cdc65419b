"""Questions of a data set on the small embedded model: what each flow makes of them.

The data set is no part of the project: ASSAY_DATA names the folder with `mbpp_dev.jsonl`, whose
lines have a prompt, one test that is shown, and others that only score.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from assay.errors import BadInput
from bench import everyday
from bench.everyday import Request
from bench.models import MODELS
from bench.tables import Table

COUNT = 40
FLOWS = ("single", "correct", "team")


async def measure() -> list[Table]:
    """Ask the first questions on every flow; one table of sums, one of the answers.

    Raises:
        BadInput: the data set is not there.
        AssayError: the model is not there.
    """
    return await everyday.measure(MODELS[:1], FLOWS, read_questions()[:COUNT])


def are_here() -> bool:
    """Whether the data set can be read."""
    return _file().is_file()


def read_questions() -> tuple[Request, ...]:
    """All questions, in the order of the data set.

    Raises:
        BadInput: the data set is not there.
    """
    path = _file()
    if not path.is_file():
        raise BadInput(f"{path} is not there. Set ASSAY_DATA to the folder of the data set.")
    return tuple(_request(json.loads(line)) for line in path.read_text("utf-8").splitlines())


def _file() -> Path:
    return Path(os.environ.get("ASSAY_DATA", "")) / "mbpp_dev.jsonl"


def _request(question: dict[str, object]) -> Request:
    def lines(name: str) -> str:
        value = question[name]
        return "\n".join(map(str, value)) if isinstance(value, list) else str(value)

    setup = lines("setup")
    return Request(
        name=str(question["task_id"]),
        ask=lines("prompt"),
        tests=f"{setup}\n{lines('public_tests')}\n".lstrip(),
        hidden=f"{setup}\n{lines('hidden_tests')}\n".lstrip(),
    )
