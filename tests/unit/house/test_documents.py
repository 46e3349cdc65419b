"""What the documents name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENTS = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PATHS = re.compile(r"(?<![\w/.])(?:src|tests|docs|bench)/[\w./-]*\w")
LINKS = re.compile(r"\]\((?!https?:|#)([^)#]+)")
MADE = {"docs/benchmarks.md"}
"""Files that a command writes."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_path_in_it_exists(document: Path) -> None:
    text = document.read_text("utf-8")
    named = {path for path in PATHS.findall(text) if "NNNN" not in path and "NAME" not in path}
    assert [path for path in sorted(named - MADE) if not (ROOT / path).exists()] == []
    links = LINKS.findall(text)
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_every_command_of_make_in_them_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for document in DOCUMENTS:
        named = set(re.findall(r"`make ([a-z-]+)", document.read_text("utf-8")))
        assert named <= targets, document


def test_paths_are_found_in_text() -> None:
    text = "see `src/assay/errors.py`, tests/cases/*.jsonl and src/x/vNNNN_y.py."
    assert PATHS.findall(text) == ["src/assay/errors.py", "tests/cases", "src/x/vNNNN_y.py"]
