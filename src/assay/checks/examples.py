"""Examples: expressions such as `f(1, 2) == 3` that have to be true."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from assay.checks.requested import find_examples
from assay.checks.syntax import has_call, is_always_true, parse_expression
from assay.domain.task import TestFile
from assay.errors import BadInput

MAX_EXAMPLE = 10_000


def parse_example(text: str) -> str:
    """Read one example as the user wrote it: `f(1, 2) == 3`.

    Returns:
        The expression that has to be true, without a comment or semicolon that may come after it.

    Raises:
        BadInput: it is no expression, calls nothing, or is true whatever the code does.
    """
    source = text.strip().removeprefix("assert ").strip()
    if len(source) > MAX_EXAMPLE:
        raise BadInput(
            f"An example of {len(source):,} characters is too long (at most {MAX_EXAMPLE:,}); "
            "put it into a test file and give that with --tests."
        )
    node = parse_expression(source)
    if node is None:
        found = find_examples(source)
        if len(found) != 1:
            raise BadInput(
                f"The example {source[:200]!r} is not a Python expression; "
                "write a call and what it should give, as in: f(1, 2) == 3"
            )
        source = found[0]
        node = ast.parse(source, mode="eval").body
    if not has_call(node):
        raise BadInput(
            f"The example {source[:200]!r} calls nothing; "
            "write a call and what it should give, as in: f(1, 2) == 3"
        )
    if is_always_true(node):
        raise BadInput(
            f"The example {source[:200]!r} is true whatever the code does; "
            "write one comparison, as in: f(1, 2) == 3, and give each its own --example."
        )
    return ast.get_source_segment(source, node) or source


def as_test_file(examples: Sequence[str]) -> TestFile:
    """A test file that asserts each of them."""
    asserts = [f"assert ({parse_example(example)})\n" for example in examples]
    return TestFile(name="examples", source="".join(asserts))
