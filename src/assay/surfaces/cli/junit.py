"""Checks as JUnit XML: a suite for each check, a case for each test or example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from assay.domain.verdict import Outcome, Verdict
from assay.surfaces.cli.shown import Shown
from assay.surfaces.cli.wording import say_check, say_failure
from assay.visible import visible

MOST_PASSED = 1000
"""Cases that are listed one by one in a suite; what is more that passed becomes one case."""

_BAD_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(shown: Shown) -> bytes:
    """The report, in UTF-8."""
    report = JUnitXml("assay")
    for verdict in shown.verdicts:
        report.add_testsuite(_suite(verdict))
    report.add_testsuite(_ending(shown))
    report.update_statistics()  # type: ignore[no-untyped-call]
    out = BytesIO()
    report.write(out, pretty=True)
    return out.getvalue()


def _suite(verdict: Verdict) -> TestSuite:
    suite = TestSuite(say_check(verdict.check))
    evidence = verdict.evidence
    for case in _cases(verdict):
        suite.add_testcase(case)
    suite.time = evidence.seconds
    if verdict.judged:
        suite.add_property("judged", verdict.judged.value)
    suite.add_property("outcome", verdict.outcome.value)
    if evidence.summary:
        suite.add_property("summary", _text(evidence.summary))
    return suite


def _cases(verdict: Verdict) -> Iterator[TestCase]:
    """Tests that failed by their names; of those that passed, a verdict knows the number."""
    evidence, name = verdict.evidence, say_check(verdict.check)
    if not evidence.total:
        yield _case(name, name, *_wanting(verdict))
        return
    listed = min(evidence.passed, MOST_PASSED)
    for number in range(1, listed + 1):
        yield _case(f"passed {number} of {evidence.total}", name)
    if evidence.passed > listed:
        yield _case(f"{evidence.passed - listed} more that passed", name)
    for failure in evidence.failures:
        lines = [text for text, _ in say_failure(failure)]
        yield _case(failure.test, name, Failure(_text(lines[0] if lines else "it failed")))
    unnamed = evidence.failed - len(evidence.failures)
    if unnamed > 0:
        yield _case(f"{unnamed} more that failed", name, Failure(_text(evidence.summary)))
    if not verdict.passed and not evidence.failed:
        yield _case(name, name, *_wanting(verdict))


def _ending(shown: Shown) -> TestSuite:
    """A suite of one case that fails where the command does: for who looks at nothing else."""
    suite = TestSuite("assay")
    said = [] if shown.is_enough else [Failure(_text(shown.headline), shown.status.value)]
    suite.add_testcase(_case("the evidence that is required is there", "assay", *said))
    return suite


def _wanting(verdict: Verdict) -> list[Error | Failure | Skipped]:
    said = _text(verdict.evidence.summary)
    match verdict.outcome:
        case Outcome.PASSED:
            return []
        case Outcome.NOT_RUN:
            return [Skipped(said)]
        case Outcome.COULD_NOT_RUN:
            return [Error(said, verdict.outcome.value)]
        case _:
            return [Failure(said, verdict.outcome.value)]


def _case(name: str, suite: str, *said: Error | Failure | Skipped) -> TestCase:
    case = TestCase(_text(name), classname=f"assay.{suite.replace(' ', '_')}")
    case.result = list(said)
    return case


def _text(text: str) -> str:
    """Text as XML may hold it, its control characters made visible."""
    return _BAD_IN_XML.sub("\ufffd", visible(text))
