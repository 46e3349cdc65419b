"""The pages of figures: each measure has a section of its own, which it alone replaces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.tables import Table

_DOCS = Path(__file__).parent.parent / "docs"
BENCHMARKS = _DOCS / "benchmarks.md"
"""How fast things are, and how much they take."""
MEASUREMENTS = _DOCS / "measurements.md"
"""How good answers are."""


def write_section(page: Path, name: str, machine: str, tables: Sequence[Table]) -> None:
    """Put a measure's tables between its two marks; all else on the page stays as it is.

    Raises:
        ValueError: the page has no such marks.
    """
    text = page.read_text("utf-8")
    begin, end = f"<!-- {name}: written by make bench -->\n", f"<!-- end of {name} -->\n"
    before, found_begin, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise ValueError(f"{page} has no place for {name}: put {begin.strip()} … {end.strip()} in.")
    body = "\n".join([*(table.markdown() for table in tables), f"{machine}\n"])
    page.write_text(f"{before}{begin}\n{body}\n{end}{after}", "utf-8")
