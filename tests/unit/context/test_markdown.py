from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.context.markdown import (
    blocks,
    fenced,
    fenced_pieces,
    links_of,
    split_front_matter,
    title_of,
)

DOCUMENT = """Title
=====

Some text
on two lines.

```python
# no heading

x = 1
```
## Second ##
after it
~~~~
```
~~~
~~~~
"""


def test_blocks() -> None:
    assert [
        (b.kind, b.text.splitlines()[0], len(b.text.splitlines())) for b in blocks(DOCUMENT)
    ] == [
        ("heading", "Title", 2),
        ("text", "Some text", 2),
        ("fence", "```python", 5),
        ("heading", "## Second ##", 1),
        ("text", "after it", 1),
        ("fence", "~~~~", 4),
    ]
    assert [b.heading for b in blocks(DOCUMENT) if b.kind == "heading"] == ["Title", "Second"]


@given(st.text(alphabet=st.sampled_from("`~#=- \nab"), max_size=300))
def test_blocks_lose_no_line(text: str) -> None:
    kept = [line for block in blocks(text) for line in block.text.split("\n") if line.strip()]
    assert kept == [line for line in text.split("\n") if line.strip()]


@given(st.text(alphabet=st.sampled_from("ab \n"), max_size=200), st.integers(1, 20))
def test_long_paragraphs_are_cut_and_lose_nothing(text: str, longest: int) -> None:
    pieces = [block.text for block in blocks(text, longest)]
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(len(piece) <= longest for piece in pieces)


def test_source_code_is_cut_between_definitions() -> None:
    functions = [f"def f{n}():\n    a = {n}\n\n    return a" for n in range(6)]
    text = fenced_pieces("\n\n\n".join(functions), "python", 60)
    expected = ["\n\n\n".join(functions[n : n + 2]) for n in (0, 2, 4)]
    assert text == "\n\n".join(fenced(code, "python") for code in expected)


@given(st.text(alphabet=st.sampled_from("`~#\nab "), max_size=200))
def test_a_fence_holds_any_code(code: str) -> None:
    assert [b.kind for b in blocks(fenced(code, "python"))] == ["fence"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\ntext", "One"),
        ("text\n\n### Three #\n", "Three"),
        ("```\n# no\n```\n\n## Yes", "Yes"),
        ("Heading\n-------\n", "Heading"),
        ("```inline``` # no\n", ""),
        ("", ""),
    ],
)
def test_title(text: str, title: str) -> None:
    assert title_of(text) == title


def test_links_are_found_once() -> None:
    text = '[a](one.md) [b](<two.md> "Title") ![c](one.md) [d](three.md#part) [e]()'
    assert links_of(text) == ("one.md", "two.md", "three.md#part")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: 'A page'\nid: x\n---\n\nText", ("A page", "Text")),
        ("---\nid: x\n---\nText", ("", "Text")),
        ("---\nnever closed", ("", "---\nnever closed")),
        ("Text\n---\n", ("", "Text\n---\n")),
    ],
)
def test_front_matter(text: str, expected: tuple[str, str]) -> None:
    assert split_front_matter(text) == expected
