"""Receipts that somebody changed: what they claim beyond what a run shows is found out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.checks.subject import Subject
from assay.client import Assay
from assay.domain.receipt import Receipt
from assay.domain.results import Verification
from assay.domain.solution import Solution, SolutionFile
from assay.errors import BadInput, ReceiptError
from assay.settings import Settings
from assay.store.receipts import hashes_of, write_receipt

Plain = dict[str, Any]


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(Settings(data_folder=tmp_path / "data", cache_folder=tmp_path / "cache"))


@pytest.fixture
async def receipt(assay: Assay) -> Plain:
    """A true one, of a check with one right example and one wrong one."""
    files = (SolutionFile(path="solution.py", code="def add(a, b):\n    return a + b\n"),)
    solution = Solution(language="python", files=files)
    examples = ("add(1, 2) == 3", "add(1, 2) == 4")
    report = await assay.check(Subject(solution, examples=examples))
    return Receipt(
        session="20260101-aaaaaaaa",
        created="2026-01-01T00:00:00+00:00",
        instructions="add",
        model="scripted:x",
        flow="single",
        status=report.judgement.status,
        headline=report.judgement.headline,
        solution=solution,
        examples=examples,
        environment=report.environment,
        verdicts=report.verdicts,
        hashes=hashes_of(solution, (), ()),
    ).model_dump(mode="json")


async def verify(assay: Assay, plain: Plain, folder: Path) -> Verification:
    path = folder / "receipt.json"
    path.write_text(json.dumps(plain), "utf-8")
    return await assay.verify(path)


async def test_one_that_nobody_changed_holds(assay: Assay, receipt: Plain, tmp_path: Path) -> None:
    assert (await verify(assay, receipt, tmp_path)).holds


CLAIMS: dict[str, Callable[[Plain], object]] = {
    "status": lambda r: r.update(status="verified"),
    "headline": lambda r: r.update(headline="All of 1,000 tests passed."),
    "outcome": lambda r: r["verdicts"][-1].update(outcome="passed"),
    "judged": lambda r: r["verdicts"][-1].update(judged="in_process"),
    "passed": lambda r: r["verdicts"][-1]["evidence"].update(passed=2),
    "total": lambda r: r["verdicts"][-1]["evidence"].update(total=1),
    "a verdict left out": lambda r: r["verdicts"].pop(),
    "a verdict twice": lambda r: r["verdicts"].insert(0, r["verdicts"][-1] | {"outcome": "passed"}),
    "no verdicts": lambda r: r.update(verdicts=[]),
    "another example": lambda r: r.update(examples=["add(1, 2) == 3"]),
    "another code": lambda r: r["solution"]["files"][0].update(code="def add(a, b):\n    return 3"),
    "another hash": lambda r: r["hashes"].update({"solution/solution.py": "0" * 64}),
    "another file": lambda r: r["solution"]["files"].append(
        {"path": "more.py", "imports": "", "code": ""}
    ),
}


@pytest.mark.parametrize("claim", CLAIMS)
async def test_a_claim_that_no_run_shows_does_not_hold(
    assay: Assay, receipt: Plain, tmp_path: Path, claim: str
) -> None:
    CLAIMS[claim](receipt)
    assert not (await verify(assay, receipt, tmp_path)).holds


WANTS: dict[str, Callable[[Plain], object]] = {
    "the variable HOME": lambda r: r["grants"].update(env=["HOME"]),
    "the interpreter /bin/sh": lambda r: r["grants"].update(python="/bin/sh"),
    "packages": lambda r: r["grants"].update(requirements="requests"),
    "more than the usual limits": lambda r: r["environment"]["limits"].update(processes=100_000),
    "trust in tests": lambda r: r.update(trust_in_process=True),
}


@pytest.mark.parametrize("wish", WANTS)
async def test_a_strangers_receipt_gets_nothing_that_the_user_did_not_give(
    assay: Assay, receipt: Plain, tmp_path: Path, wish: str
) -> None:
    WANTS[wish](receipt)
    with pytest.raises(BadInput, match=f"{wish}.*--with-grants"):
        await verify(assay, receipt, tmp_path)


async def test_the_users_own_receipt_gets_it(assay: Assay, receipt: Plain) -> None:
    """The control: what is refused is refused for where the receipt comes from."""
    WANTS["more than the usual limits"](receipt)
    path = write_receipt(Receipt.model_validate(receipt), assay.settings.receipts)
    assert (await assay.verify(path)).holds


@pytest.mark.parametrize(
    ("limit", "value"),
    [("wall_seconds", 1e308), ("processes", 2**40), ("memory_bytes", 2**62), ("open_files", 2**40)],
)
async def test_limits_that_no_kernel_takes_are_refused(
    assay: Assay, receipt: Plain, tmp_path: Path, limit: str, value: float
) -> None:
    receipt["environment"]["limits"][limit] = value
    with pytest.raises(ReceiptError, match=limit):
        await verify(assay, receipt, tmp_path)
