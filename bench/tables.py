"""Tables of figures, and what is said of a figure that has a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """What one measure shows; each cell is text as a reader sees it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    """How it was measured, in a sentence or two."""

    def markdown(self) -> str:
        """The note and the table."""
        lines = [_line(self.columns), _line(["---"] * len(self.columns))]
        lines += [_line(row) for row in self.rows]
        head = f"{self.note}\n\n" if self.note else ""
        return head + "\n".join(lines) + "\n"


def against(value: float, limit: float, target: str) -> str:
    """Say whether `value` is at most `limit`; `target` is the limit in words, with its unit."""
    return f"{target}: {'met' if value <= limit else 'missed'}"


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds with three digits that count."""
    value = seconds * 1000
    return f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
