from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.context.documentation import Documentation, read_documentation
from assay.context.fitting import fit
from assay.errors import DocumentationError

NOTES = "Für später: die Größe der Münzen prüfen, und ob jede das richtige Maß hat."


async def read(*sources: Path | str, cache: Path) -> Documentation:
    return await read_documentation([str(source) for source in sources], cache_folder=cache)


async def test_every_kind_of_document(tmp_path: Path, make_pdf: Callable[[str], bytes]) -> None:
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "README.md").write_text("# Start\n\nHere.")
    (docs / "guide.rst").write_text("Guide\n=====\n\nA *guide*.")
    (docs / "notes.txt").write_bytes(NOTES.encode("cp1252"))
    (docs / "page.html").write_text(
        "<title>Site</title><nav>Menu</nav><main><h1>Page</h1>"
        '<pre><code class="language-js">let a = `b`;</code></pre></main><script>evil()</script>'
    )
    code = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "1 + 1"}
    output = {"output_type": "stream", "name": "stdout", "text": "2\n"}
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# Note", "book"]}
    notebook = {"nbformat": 4, "nbformat_minor": 2, "metadata": {}}
    notebook["cells"] = [text, {**code, "outputs": [output]}]
    (docs / "notebook.ipynb").write_text(json.dumps(notebook))
    (docs / "paper.pdf").write_bytes(make_pdf("Gold is heavy"))
    (docs / "sub" / "tool.py").write_text("print('```')\n")
    (docs / "logo.png").write_bytes(b"\x89PNG")
    read_docs = await read(docs, cache=tmp_path / "cache")
    assert read_docs.skipped == ()
    assert [(Path(p.source).name, p.title, p.text) for p in read_docs.pages] == [
        ("README.md", "Start", "# Start\n\nHere."),
        ("guide.rst", "Guide", "Guide\n=====\n\nA *guide*."),
        ("notebook.ipynb", "Notebook", "# Notebook\n\n```python\n1 + 1\n```\n\n```\n2\n```"),
        ("notes.txt", "notes.txt", NOTES),
        ("page.html", "Page", "# Page\n\n```js\nlet a = `b`;\n```"),
        ("paper.pdf", "paper.pdf", "Gold is heavy"),
        ("tool.py", "tool.py", "````python\nprint('```')\n````"),
    ]
    assert all(page.tokens > 0 for page in read_docs.pages)


async def test_hidden_files_and_links_out_of_the_folder_are_passed_over(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / ".git").mkdir(parents=True)
    (docs / "node_modules").mkdir()
    for name in (".hidden.md", ".git/a.md", "node_modules/b.md", "seen.md"):
        (docs / name).write_text(name)
    (tmp_path / "secret.md").write_text("secret")
    (docs / "secret.md").symlink_to(tmp_path / "secret.md")
    (docs / "all").symlink_to(tmp_path)
    (docs / "self").symlink_to(docs)
    (docs / "inside.md").symlink_to(docs / "seen.md")
    read_docs = await read(docs, cache=tmp_path / "cache")
    assert [Path(p.source).name for p in read_docs.pages] == ["inside.md", "seen.md"]


async def test_single_unreadable_pages_are_named(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "good.md").write_text("good")
    (docs / "empty.md").write_text(" \n")
    (docs / "binary.md").write_bytes(b"\0\1\2")
    (docs / "deep.html").write_text("<div>" * 5000 + "x")
    (docs / "bad.ipynb").write_text('{"cells": 3}')
    (docs / "bad.pdf").write_bytes(b"%PDF-1.4\nrubbish")
    os.mkfifo(docs / "fifo.md")
    with (docs / "huge.txt").open("wb") as file:
        file.truncate(20 * 1024 * 1024)
    read_docs = await read(docs, cache=tmp_path / "cache")
    assert [Path(p.source).name for p in read_docs.pages] == ["good.md"]
    assert {Path(s.source).name: s.reason for s in read_docs.skipped} == {
        "bad.ipynb": "is not a notebook",
        "bad.pdf": "is a damaged PDF",
        "binary.md": "is not text",
        "deep.html": "is nested too deeply",
        "empty.md": "has no text",
        "fifo.md": "is not a regular file",
        "huge.txt": "is larger than 10 MiB",
    }


async def test_a_source_that_gives_nothing_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0")
    for source, sentence in [
        ("empty", "holds no documentation"),
        ("missing", "does not exist"),
        ("image.png", "is not text"),
        ("bad\0name", "cannot be read"),
    ]:
        with pytest.raises(DocumentationError, match=sentence):
            await read(tmp_path / source, cache=tmp_path / "cache")


async def test_pages_come_once_and_are_reported(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("one")
    (tmp_path / "two.md").write_text("two")
    reports: list[tuple[str, int]] = []
    read_docs = await read_documentation(
        [str(tmp_path), str(tmp_path / "two.md")],
        cache_folder=tmp_path / "cache",
        on_page=lambda source, pages: reports.append((source, pages)),
    )
    assert [p.text for p in read_docs.pages] == ["one", "two"]
    assert reports == [(str(tmp_path), 1), (str(tmp_path), 2), (str(tmp_path / "two.md"), 1)]


async def test_a_second_read_needs_neither_parser_nor_tokenizer(tmp_path: Path) -> None:
    docs, cache = tmp_path / "docs", tmp_path / "cache"
    docs.mkdir()
    (docs / "a.md").write_text("# Text")
    first = await read(docs, cache=cache)
    program = f"""
import asyncio, sys
from pathlib import Path
from assay.context.documentation import read_documentation
read = read_documentation([{str(docs)!r}], cache_folder=Path({str(cache)!r}))
print(asyncio.run(read).tokens, 'bpe_openai' in sys.modules)
"""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program), stdout=asyncio.subprocess.PIPE
    )
    stdout, _ = await process.communicate()
    assert stdout.decode().split() == [str(first.tokens), "False"]


async def test_a_damaged_or_unwritable_cache_does_no_harm(tmp_path: Path) -> None:
    docs, cache = tmp_path / "docs", tmp_path / "cache"
    docs.mkdir()
    (docs / "a.md").write_text("# Text")
    first = await read(docs, cache=cache)
    for entry in (cache / "documentation").iterdir():
        entry.write_text('{"converted": ')
    assert await read(docs, cache=cache) == first
    (tmp_path / "file").write_text("a file, where a folder should be")
    assert await read(docs, cache=tmp_path / "file") == first


QUESTIONS = [
    (
        'I am passing text key "foo" to my prompt and want to process it with a function, '
        "process_text(...), prior to the prompt. How can I do this using LCEL?",
        ["RunnableLambda(length_function)", "RunnableParallel", 'itemgetter("foo")'],
    ),
    ("How do I route the question to one of two chains by its topic?", ["RunnableBranch("]),
    ("My model hits its rate limit; how do I switch to another one?", ["with_fallbacks"]),
    ("How do I run two chains at the same time and combine the results?", ["RunnableParallel("]),
]


@pytest.mark.parametrize(("question", "needed"), QUESTIONS, ids=["text", "route", "rate", "two"])
async def test_the_documentation_of_the_original(
    tmp_path: Path, data_folder: Path, question: str, needed: list[str]
) -> None:
    folder = data_folder / "lcel_docs"
    sources = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    docs = await read(*sources, cache=tmp_path / "cache")
    assert len(docs.pages) == 31
    assert 37_000 < docs.tokens < 43_000
    fitted = fit(docs.pages, 4000, question)
    assert fitted.tokens <= 4000
    assert [text for text in needed if text not in fitted.text] == []
