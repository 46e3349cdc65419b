"""What the person can do about checks that lacked something: packages, time, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.domain.verdict import Outcome, Verdict

_WANTING = {
    Outcome.TIMED_OUT: (
        "If the code is right and only needs longer than that, give each run more time with "
        "--run-timeout SECONDS."
    ),
    Outcome.OUT_OF_MEMORY: (
        "If the code is right and only needs more memory than that, give each run more with "
        "--run-memory MIB."
    ),
}


def advise(verdicts: Sequence[Verdict], language: str | None) -> Iterator[str]:
    """Sentences that say what to do, each once.

    Args:
        verdicts: What the checks of one solution have shown.
        language: Of the solution; None: Python.
    """
    names = sorted({name for verdict in verdicts for name in verdict.evidence.missing})
    missing = f"{', '.join(names)} cannot be found in a run."
    if names and language not in (None, "python"):
        yield f"{missing} Only Python can be given packages: ask for a solution without."
    elif names:
        yield (
            f"{missing} If you trust it, name its package in a requirements file and give that "
            "with --requirements."
        )
    outcomes = {verdict.outcome for verdict in verdicts}
    yield from (said for outcome, said in _WANTING.items() if outcome in outcomes)
