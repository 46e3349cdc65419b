"""What is said with a change: the evidence, and nothing that others could have slipped in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checkin.change import MAX_TITLE, Change, change_of
from assay.domain.answer import Answer, Attempt, Status
from assay.domain.solution import Solution, SolutionFile
from assay.domain.team import TeamRecord
from assay.domain.verdict import CheckName, Evidence, Judged, Outcome, Verdict
from assay.errors import CheckInRefused
from assay.markdown import fenced, inline

SOLUTION = Solution(language="python", files=(SolutionFile(path="add.py", code="x = 1"),))


def answer(summary: str = "", *, shown: bool = True, draft: str = "") -> Answer:
    verdicts = (
        Verdict(
            check=CheckName.EXECUTION, outcome=Outcome.PASSED, evidence=Evidence(summary=summary)
        ),
        Verdict(
            check=CheckName.TESTS,
            outcome=Outcome.PASSED if shown else Outcome.FAILED,
            judged=Judged.OUTSIDE,
            evidence=Evidence(total=2, passed=2 if shown else 1),
        ),
    )
    return Answer(
        status=Status.VERIFIED if shown else Status.UNVERIFIED,
        headline="2 of 2 tests passed." if shown else "Tests failed (1 of 2 passed).",
        has_required_evidence=shown,
        solution=SOLUTION,
        best=1,
        attempts=(Attempt(number=1, solution=SOLUTION, verdicts=verdicts),),
        team=TeamRecord(draft=draft) if draft else None,
    )


def change(instructions: str = "Add.", **more: object) -> Change:
    return change_of("20261201-abcdefgh", instructions, answer(**more))  # type: ignore[arg-type]


def test_evidence_is_a_table() -> None:
    body = change().body
    assert "| tests | passed | outside | 2 of 2 passed |" in body
    assert body.endswith("`Assay-Session: 20261201-abcdefgh`\n")


def test_what_lacks_evidence_is_refused_unless_it_is_allowed_and_then_told() -> None:
    bad = answer(shown=False)
    with pytest.raises(CheckInRefused, match=r"lacks the evidence .* --allow-unverified"):
        change_of("s", "Add.", bad)
    allowed = change_of("s", "Add.", bad, allow_unverified=True)
    assert "NOT SHOWN TO WORK. UNVERIFIED" in allowed.message
    assert "NOT SHOWN TO WORK" in allowed.body
    assert "NOT SHOWN TO WORK" in allowed.headline


def test_prose_cannot_be_checked_in() -> None:
    prose = Answer(
        status=Status.ANSWERED,
        headline="",
        has_required_evidence=True,
        solution=Solution(prefix="x"),
    )
    with pytest.raises(CheckInRefused, match="no code"):
        change_of("s", "Why?", prose)


def test_a_teams_own_words_come_before_the_question() -> None:
    one = change(draft="Add numbers\n\nSo that they are added.")
    assert (one.title, one.words) == ("Add numbers", "So that they are added.")


@given(st.text(), st.text())
def test_no_text_breaks_title_table_or_marker(instructions: str, summary: str) -> None:
    one = change(instructions, summary=summary)
    assert "\n" not in one.title
    assert len(one.title) <= MAX_TITLE
    rows = [line for line in one.evidence.split("\n") if line.startswith("| execution")]
    assert len(rows) == 1
    assert rows[0].count("|") == 5
    assert one.message.splitlines()[-1] == one.marker
    assert not re.search(r"[\x00-\x08\x0e-\x1f\x7f]", one.message)


@given(st.text(alphabet="`*_[]()<>#|@&:/ab\n\x1b"))
def test_text_of_others_is_no_markup(text: str) -> None:
    assert not set(inline(text)) & set("`*_[]()<>|@\n\x1b")
    first, *_, last = fenced(text).split("\n")
    assert first == last
    assert set(first) == {"`"}
    assert first not in text
