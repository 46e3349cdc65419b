from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.context.conversion import Converted, Document, convert
from assay.context.converter import Converter
from assay.context.kinds import Kind
from assay.context.skipped import Unreadable

HTML_PIECES = st.sampled_from(
    ["<main>", "</main>", "<p>", "<pre><code class='language-'>", "</pre>", "<table><tr>", "<td>",
     "<a href='", "'>", "<!--", "-->", "<![CDATA[", "&#0;", "&#xd800;", "&amp", "<ul><li>", "<h1>",
     "<base href='//['>", "<br/>", "<svg>", "<title>", "x", " ", "```", "\0"]
)  # fmt: skip


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([Kind.HTML, Kind.MARKDOWN, Kind.TEXT, Kind.CODE]),
    st.lists(HTML_PIECES, max_size=40).map("".join).map(str.encode) | st.binary(max_size=300),
)
def test_any_bytes_become_text_or_are_refused(kind: Kind, content: bytes) -> None:
    try:
        converted = convert(Document(kind=kind, content=content))
    except Unreadable:
        return
    assert converted.text.strip()
    assert converted.text.encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda values: (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "cells",
                    "cell_type",
                    "source",
                    "outputs",
                    "metadata",
                    "nbformat",
                    "nbformat_minor",
                ]
            ),
            values | st.sampled_from(["code", "markdown", 3, 4, 5]),
            max_size=6,
        )
    ),
    max_leaves=12,
)


async def test_any_notebook_or_pdf_is_text_or_refused(make_pdf: Callable[[str], bytes]) -> None:
    """Through the process, since this is what holds where a parser has no common error."""
    pdf = make_pdf("Gold")
    async with Converter() as converter:

        async def answer(document: Document) -> Converted | str:
            try:
                return await converter.convert(document)
            except Unreadable as error:
                return str(error)

        loop = asyncio.get_running_loop()

        @settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
        @given(
            st.one_of(
                JSON.map(
                    lambda value: Document(kind=Kind.NOTEBOOK, content=json.dumps(value).encode())
                ),
                st.binary(max_size=200).map(
                    lambda value: Document(kind=Kind.PDF, content=b"%PDF-1.7\n" + value)
                ),
                st.integers(0, len(pdf)).map(
                    lambda cut: Document(kind=Kind.PDF, content=pdf[:cut] + pdf[cut + 7 :])
                ),
            )
        )
        def check(document: Document) -> None:
            found = asyncio.run_coroutine_threadsafe(answer(document), loop).result()
            assert isinstance(found, Converted) or (found and "crash" not in found)

        await asyncio.to_thread(check)


async def test_a_document_that_takes_too_long_is_given_up() -> None:
    slow = Document(kind=Kind.HTML, content=b"<main>" + b"<a>x</a>" * 1_000_000)
    async with Converter(seconds=2) as converter:
        with pytest.raises(Unreadable, match="takes longer than 2 s to be read"):
            await converter.convert(slow)


async def test_a_parser_that_dies_takes_nobody_along() -> None:
    good = Document(kind=Kind.HTML, content=b"<main><p>good")
    before = children()
    async with Converter() as converter:
        assert (await converter.convert(good)).text == "good"
        (child,) = children() - before
        os.kill(child, signal.SIGKILL)
        with pytest.raises(Unreadable, match="made its parser crash"):
            await converter.convert(good)
        assert (await converter.convert(good)).text == "good"
    assert children() == before


async def test_what_was_cancelled_does_not_answer_the_next_question() -> None:
    async with Converter() as converter:
        good = Document(kind=Kind.HTML, content=b"<main><p>good")
        await converter.convert(good)
        slow = Document(kind=Kind.HTML, content=b"<main>" + b"<p>x" * 10_000)
        task = asyncio.create_task(converter.convert(slow))
        await asyncio.sleep(0)  # it has asked by then
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert (await converter.convert(good)).text == "good"


def children() -> set[int]:
    """The processes that this one started and that are still there."""
    pid = os.getpid()
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return {int(child) for task in tasks for child in (task / "children").read_text().split()}
