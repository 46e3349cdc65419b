"""Exit statuses, and how errors are told: one sentence on stderr, or the `error` of --json."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from assay.domain.answer import Answer
from assay.errors import AssayError, LimitReached, ModelError

OK = 0
WITHOUT_EVIDENCE = 1
WRONG_USE = 2
MODEL = 3
LIMIT = 4
NO_SANDBOX = 5


@contextmanager
def told(as_json: bool = False) -> Iterator[None]:
    """Turn Assay's errors into their sentence and exit status; no traceback reaches a person."""
    try:
        yield
    except AssayError as error:
        if as_json:
            print(json.dumps({"error": {"kind": error.kind, "message": error.message}}, indent=2))
        else:
            print(f"assay: {error.message}", file=sys.stderr)
        sys.exit(error.exit_status)


def status_of(answer: Answer) -> int:
    """The exit status for an answer."""
    if answer.error is not None:
        return _STATUS_OF_KIND.get(answer.error.kind, WITHOUT_EVIDENCE)
    return OK if answer.has_required_evidence else WITHOUT_EVIDENCE


def _kinds(root: type[AssayError]) -> Iterator[tuple[str, int]]:
    yield root.kind, root.exit_status
    for child in root.__subclasses__():
        yield from _kinds(child)


_STATUS_OF_KIND = dict(_kinds(AssayError))
assert _STATUS_OF_KIND[ModelError.kind] == MODEL  # noqa: S101 - the table above is the same
assert _STATUS_OF_KIND[LimitReached.kind] == LIMIT  # noqa: S101
