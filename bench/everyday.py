"""Everyday requests on both embedded models: how many answers are right, on each flow.

An answer is right when all hidden tests of its request pass. They only score it: no session is
given them. A session that ends without an answer, or with an error, is a wrong answer.
"""

from __future__ import annotations

import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from assay.checks.subject import Subject
from assay.client import Assay
from assay.domain.data import Data
from assay.domain.results import Result
from assay.domain.task import Attachment, Task, TestFile
from assay.domain.usage import Usage
from assay.domain.verdict import CheckName
from bench.models import MODELS, require, short_name
from bench.tables import Table

FLOWS = ("single", "correct")
SEED = 1


class Request(Data):
    """What a person asks, and what its answer is held against."""

    name: str
    ask: str
    examples: tuple[str, ...] = ()
    tests: str = ""
    """Tests that are shown, as Python source."""
    files: Mapping[str, str] = Field(default_factory=dict)
    """Attached; they lie in the folder in which the code runs."""
    hidden: str
    """Tests as Python source."""
    hidden_files: Mapping[str, str] = Field(default_factory=dict)
    """More files, that only the hidden tests use."""

    @property
    def task(self) -> Task:
        """The task, without what is hidden."""
        return Task(
            instructions=self.ask,
            examples=self.examples,
            tests=(TestFile(name="test_shown.py", source=self.tests),) if self.tests else (),
            attachments=_attachments(self.files),
            seed=SEED,
        )


class Scored(Data):
    """One request on one model and flow."""

    request: str
    right: bool
    how: str
    """How the session ended: the answer's status, or the error."""
    attempts: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0


def read_requests() -> tuple[Request, ...]:
    """The requests of everyday.toml."""
    text = Path(__file__).with_name("everyday.toml").read_text("utf-8")
    return tuple(Request.model_validate(one) for one in tomllib.loads(text)["request"])


async def measure(
    models: Sequence[str] = MODELS,
    flows: Sequence[str] = FLOWS,
    requests: Sequence[Request] | None = None,
) -> list[Table]:
    """Ask everything of every model on every flow; one table of sums, one of the answers.

    Raises:
        AssayError: a model is not there.
    """
    await require(models)
    requests = read_requests() if requests is None else requests
    scored = {
        (model, flow): [await _ask_and_tell(request, model, flow) for request in requests]
        for model in models
        for flow in flows
    }
    return [_sums(scored), _answers(requests, scored)]


async def _ask_and_tell(request: Request, model: str, flow: str) -> Scored:
    scored = await ask(request, model, flow)
    print(f"  {short_name(model)}, {flow}, {request.name}: {_said(scored)}", file=sys.stderr)
    return scored


async def ask(request: Request, model: str, flow: str) -> Scored:
    """Ask one request in a session of its own, and score its answer."""
    with TemporaryDirectory() as folder:
        assay = Assay(model=model, flow=flow, data_folder=Path(folder))
        started = time.monotonic()
        try:
            result = await assay.run(request.task)
            seconds = time.monotonic() - started
            right = await is_right(request, result, assay)
        except Exception as error:  # noqa: BLE001 - whatever ends a session, its answer is wrong
            seconds = time.monotonic() - started
            return Scored(
                request=request.name, right=False, how=type(error).__name__, seconds=seconds
            )
    answer = result.answer
    return Scored(
        request=request.name,
        right=right,
        how=answer.status,
        attempts=len(answer.attempts),
        usage=answer.usage,
        seconds=seconds,
    )


async def is_right(request: Request, result: Result, assay: Assay) -> bool:
    """Whether the answer passes all hidden tests."""
    solution = result.answer.solution
    if solution is None or solution.is_prose:
        return False
    subject = Subject(
        solution=solution,
        tests=(TestFile(name="hidden.py", source=request.hidden),),
        attachments=_attachments({**request.files, **request.hidden_files}),
    )
    report = await assay.check(subject)
    return any(one.check is CheckName.TESTS and one.passed for one in report.verdicts)


def _attachments(files: Mapping[str, str]) -> tuple[Attachment, ...]:
    return tuple(Attachment(name=name, content=text.encode()) for name, text in files.items())


def _sums(scored: dict[tuple[str, str], list[Scored]]) -> Table:
    rows = []
    for (model, flow), all_of in scored.items():
        usage = sum((one.usage for one in all_of), Usage())
        rows.append(
            (
                short_name(model),
                flow,
                f"{sum(one.right for one in all_of)} of {len(all_of)}",
                str(sum(one.attempts for one in all_of)),
                f"{usage.input_tokens:,}",
                f"{usage.cached_tokens:,}",
                f"{usage.output_tokens:,}",
                f"{sum(one.seconds for one in all_of):,.0f} s",
            )
        )
    return Table(
        columns=(
            "model", "flow", "right", "attempts", "tokens in", "of them cached", "tokens out",
            "time",
        ),
        rows=tuple(rows),
        note=(
            "Right: all hidden tests of the request pass. They score the answer and are in no "
            "prompt; what the request names as an example is. Tokens and time are sums over the "
            "requests, with the checks."
        ),
    )  # fmt: skip


def _answers(requests: Sequence[Request], scored: dict[tuple[str, str], list[Scored]]) -> Table:
    columns = [f"{short_name(model)}, {flow}" for model, flow in scored]
    rows = [
        (request.name, *(_said(all_of[number]) for all_of in scored.values()))
        for number, request in enumerate(requests)
    ]
    return Table(
        columns=("request", *columns),
        rows=tuple(rows),
        note="Each answer, with what Assay itself said of it.",
    )


def _said(one: Scored) -> str:
    return f"{'right' if one.right else 'wrong'} ({one.how})"
