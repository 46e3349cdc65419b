"""Correct programs in many styles: no check may fail any of them.

They stand in tests/cases/correct_programs.txt: after `=== NAME JUDGED` a program, a line of dashes,
and its tests; JUDGED says who has to judge them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.conftest import CASES

from assay.domain.verdict import Verdict

Check = Callable[..., dict[str, Verdict]]

_HEAD = re.compile(r"^=== (\S+) (\S+)\n", re.MULTILINE)


def _read_programs() -> list[object]:
    parts = _HEAD.split((CASES / "correct_programs.txt").read_text("utf-8"))[1:]
    return [
        pytest.param(judged, *text.split("----\n"), id=name)
        for name, judged, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


@pytest.mark.parametrize(("judged", "code", "tests"), _read_programs())
def test_a_correct_program_passes(check: Check, judged: str, code: str, tests: str) -> None:
    verdicts = check(code, tests=tests, attachments={"rows.csv": "a,b\n1,2\n"})
    assert {name: one.outcome for name, one in verdicts.items()} == {
        "imports": "passed",
        "execution": "passed",
        "tests": "passed",
    }, verdicts["tests"]
    assert verdicts["tests"].judged == judged
    assert verdicts["tests"].evidence.passed == verdicts["tests"].evidence.total > 0
