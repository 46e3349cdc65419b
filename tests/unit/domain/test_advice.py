"""What a person can do about checks that lacked something."""

from __future__ import annotations

import pytest

from assay.domain.advice import advise
from assay.domain.verdict import CheckName, Evidence, Outcome, Verdict


def verdict(outcome: Outcome, *missing: str) -> Verdict:
    return Verdict(check=CheckName.TESTS, outcome=outcome, evidence=Evidence(missing=missing))


@pytest.mark.parametrize(
    ("verdicts", "language", "said"),
    [
        ([verdict(Outcome.PASSED)], None, []),
        ([verdict(Outcome.FAILED)], "python", []),
        ([verdict(Outcome.FAILED, "b"), verdict(Outcome.COULD_NOT_RUN, "a", "b")], None, ["a, b"]),
        ([verdict(Outcome.COULD_NOT_RUN, "jq")], "bash", ["Only Python"]),
        ([verdict(Outcome.TIMED_OUT)] * 2, "javascript", ["--run-timeout"]),
        ([verdict(Outcome.OUT_OF_MEMORY)], None, ["--run-memory"]),
        (
            [verdict(Outcome.TIMED_OUT, "numpy")],
            "python",
            ["numpy cannot be found in a run", "--run-timeout"],
        ),
    ],
)
def test_advice(verdicts: list[Verdict], language: str | None, said: list[str]) -> None:
    advice = list(advise(verdicts, language))
    assert len(advice) == len(said)
    for sentence, part in zip(advice, said, strict=True):
        assert part in sentence
