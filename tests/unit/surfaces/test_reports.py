"""Reports hold whatever others wrote, and nothing of it breaks them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from assay.domain.answer import Status
from assay.domain.solution import Solution, SolutionFile
from assay.domain.verdict import CheckName, Evidence, Failure, Judged, Outcome, Verdict
from assay.surfaces.cli.junit import MOST_PASSED, junit_xml
from assay.surfaces.cli.shown import Shown
from assay.surfaces.cli.summary import LIMIT_BYTES, summary_markdown


def shown(text: str, *, code: str = "x = 1\n", passed: int = 1, failures: int = 1) -> Shown:
    evidence = Evidence(
        summary=text,
        total=passed + failures,
        passed=passed,
        failures=(Failure(test=text, expected=text, got=text, message=text),) * failures,
    )
    outcome = Outcome.FAILED if failures else Outcome.PASSED
    tests = Verdict(
        check=CheckName.TESTS, outcome=outcome, judged=Judged.OUTSIDE, evidence=evidence
    )
    broken = Verdict(
        check=CheckName.EXECUTION, outcome=Outcome.COULD_NOT_RUN, evidence=Evidence(summary=text)
    )
    return Shown(
        title="Answer",
        status=Status.UNVERIFIED,
        headline=text,
        is_enough=False,
        verdicts=(broken, tests),
        solution=Solution(language="python", files=(SolutionFile(path="a.py", code=code),)),
        advice=(text,),
        error=text,
    )


@given(st.text())
def test_any_text_makes_xml_that_can_be_read(text: str) -> None:
    root = ET.fromstring(junit_xml(shown(text)))
    assert [suite.get("name") for suite in root] == ["execution", "tests", "assay"]
    assert [suite.get("failures") for suite in root] == ["0", "1", "1"]
    assert [suite.get("errors") for suite in root] == ["1", "0", "0"]


def test_a_million_tests_make_a_report_that_can_be_read() -> None:
    content = junit_xml(shown("x", passed=1_000_000, failures=0))
    assert len(content) < 1_000_000
    assert len(list(ET.fromstring(content).iter("testcase"))) == MOST_PASSED + 3


def test_skipped_and_stopped_checks_are_told() -> None:
    verdicts = tuple(
        Verdict(check=CheckName.EXECUTION, outcome=outcome, evidence=Evidence(summary="why"))
        for outcome in (Outcome.NOT_RUN, Outcome.TIMED_OUT, Outcome.PASSED)
    )
    one = Shown("Check", Status.UNVERIFIED, "No.", is_enough=False, verdicts=verdicts)
    first, second, third, _ = ET.fromstring(junit_xml(one))
    assert first.get("skipped") == "1"
    assert second.get("failures") == "1"
    assert third.get("failures") == "0"


@given(st.text(), st.text())
def test_any_text_stays_text_on_a_page(text: str, code: str) -> None:
    page = summary_markdown(shown(text, code=code))
    outside, fence = [], ""
    for line in page.split("\n"):
        marks = line.strip("`python")
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```") and not marks:
            fence = line.rstrip("python")
        else:
            outside.append(line)
    assert not fence
    tags = "".join(outside).replace("<details><summary>", "").replace("</summary>", "")
    assert "<" not in tags.replace("</details>", "")
    assert "@" not in tags
    assert "\x1b" not in page


def test_a_page_has_at_most_a_mebibyte_whatever_it_is_of() -> None:
    page = summary_markdown(shown("x", code="y = 'ä'\n" * 400_000))
    assert len(page.encode()) <= LIMIT_BYTES
    assert page.endswith("*The rest is left out: the page may have 1 MiB.*\n")
    assert "| tests | failed | outside | 1 of 2 |" in page
    assert summary_markdown(shown("x"), 10) == ""
