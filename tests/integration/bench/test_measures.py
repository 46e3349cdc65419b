"""Each measure, with few rounds: what it shows has the right shape. No speed is asserted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bench import calls, cold, everyday, own, pool, prefix, replies
from bench.machine import describe_machine
from bench.page import BENCHMARKS, write_section
from bench.script import CORRECT
from bench.tables import Table, against

from assay.client import Assay
from assay.errors import BadInput
from assay.tokens import count_tokens

TARGET = re.compile(r"[<≤] .+: (met|missed)$")


async def test_cold_has_a_target_for_all_but_pythons_own_start() -> None:
    (table,) = await cold.measure(rounds=1)
    base, full, *others = _rows(table)
    assert base["times Python's start"] == "1.0"
    assert base["target"] == full["target"] == ""
    assert others
    assert all(TARGET.match(row["target"]) for row in others)


async def test_pool_compares_checks_with_plain_python() -> None:
    singles, sustained, memory = await pool.measure(
        rounds=1, seconds=0.2, packages=(), modules=("json",)
    )
    light_base, light, import_base, imported = _rows(singles)
    assert light_base["times plain Python"] == import_base["times plain Python"] == "1.0"
    assert all(TARGET.match(row["target"]) for row in (light, imported, *_rows(memory)))
    assert re.match(r"[01] of 1$", light["found one ready"])
    plain, checks = _rows(sustained)
    assert float(plain["a second"]) > 0
    assert float(checks["times plain Python"]) > 0


async def test_calls_are_judged_outside() -> None:
    (table,) = await calls.measure(rounds=1, calls=500)
    (row,) = _rows(table)
    assert re.search(r"≥ .+: (met|missed)$", row["target"])


async def test_own_tells_time_and_memory() -> None:
    (table,) = await own.measure(rounds=1)
    rows = _rows(table)
    assert [row["median"].split()[1] for row in rows] == ["ms", "ms", "ms", "ms", "ms", "MB"]
    targets = [bool(TARGET.match(row["target"])) for row in rows]
    assert targets == [True, True, False, False, True, True]


async def test_replies_of_all_shapes_are_read() -> None:
    (table,) = await replies.measure(rounds=1, size=2000)
    rows = _rows(table)
    assert {row["reply"] for row in rows} == set(replies.SHAPES)
    assert any(row["read as"] == "code" for row in rows)


@pytest.mark.parametrize("shape", replies.SHAPES)
def test_replies_have_the_size_that_is_said(shape: str) -> None:
    assert 0.9 < len(replies.SHAPES[shape](100_000)) / 100_000 < 1.2


def test_documentation_is_as_long_as_was_asked_and_never_twice_the_same() -> None:
    first, second = prefix.write_documentation(1000), prefix.write_documentation(1000)
    assert 850 <= count_tokens(first) <= 1000
    assert first != second


async def test_prefix_compares_two_attempts(tmp_path: Path) -> None:
    model = CORRECT.write(tmp_path / "replies.jsonl")
    (table,) = await prefix.measure([model], rounds=1, tokens=300)
    (row,) = _rows(table)
    assert row["model"].endswith("replies.jsonl")
    assert int(row["prompt tokens"]) > 300
    assert row["of it cached"] == "0.0 %"
    assert TARGET.match(row["target"])


async def test_everyday_scores_right_wrong_and_broken_answers(tmp_path: Path) -> None:
    request = everyday.Request(
        name="sum",
        ask="Write a python function total(numbers) that adds them up.",
        examples=("total([1, 2]) == 3",),
        hidden="assert total([1, 2]) == 3\nassert total([2, 2]) == 4\n",
    )
    model = CORRECT.write(tmp_path / "replies.jsonl")
    refusing = tmp_path / "refusing.jsonl"
    refusing.write_text('{"error": 401}\n', "utf-8")
    sums, answers = await everyday.measure([model, f"scripted:{refusing}"], requests=[request])
    assert [row["right"] for row in _rows(sums)] == ["0 of 1", "1 of 1", "0 of 1", "0 of 1"]
    (row,) = answers.rows
    assert row[1:] == ("wrong (unverified)", "right (verified)", "wrong (failed)", "wrong (failed)")


async def test_everyday_counts_a_crash_as_a_wrong_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Assay, "run", crash)
    model = CORRECT.write(tmp_path / "replies.jsonl")
    scored = await everyday.ask(everyday.read_requests()[0], model, "single")
    assert (scored.right, scored.how) == (False, "RuntimeError")


async def test_a_model_that_is_not_there_is_no_wrong_answer(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        await everyday.measure([f"scripted:{tmp_path / 'none.jsonl'}"])


def test_no_hidden_test_reaches_a_task() -> None:
    for request in everyday.read_requests():
        assert request.task.tests == ()
        assert {one.name for one in request.task.attachments} == set(request.files)
        assert request.task.examples == request.examples
        assert request.hidden.count("assert ") >= 5


def test_a_section_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(BENCHMARKS.read_text("utf-8"), "utf-8")
    for value in ("first", "second"):
        table = Table(columns=("what",), rows=((f"{value} | figure",),))
        write_section(page, "own", describe_machine(), [table])
    text = page.read_text("utf-8")
    assert "| first \\| figure |" not in text
    assert "| second \\| figure |" in text
    assert text.count("<!-- end of") == BENCHMARKS.read_text("utf-8").count("<!-- end of")


def test_a_section_without_a_place_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Figures\n", "utf-8")
    with pytest.raises(ValueError, match="no place for own"):
        write_section(page, "own", "", [])


def test_a_target_is_met_up_to_its_limit() -> None:
    assert against(3.0, 3.0, "≤ 3") == "≤ 3: met"
    assert against(3.1, 3.0, "≤ 3") == "≤ 3: missed"


def _rows(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]
