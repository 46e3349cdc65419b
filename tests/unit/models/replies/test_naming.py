from __future__ import annotations

import pytest

from assay.models.replies.naming import Info, name_before, name_inside, read_info


@pytest.mark.parametrize(
    ("info", "read"),
    [
        ("", Info()),
        (" Python3 ", Info("python")),
        ("python 3.11", Info("python")),
        ("language-js", Info("javascript")),
        ("rust,no_run", Info("rust")),
        ("python=", Info("python")),
        ("js {1,3-5} showLineNumbers", Info("javascript")),
        ("{.python}", Info("python")),
        ('python {file: "x"}', Info("python")),
        ("ts title='src/a b.ts' x", Info("typescript", "src/a b.ts")),
        ("ts:src/a.ts", Info("typescript", "src/a.ts")),
        ("src/a.ts", Info("typescript", "src/a.ts")),
        ('file="Dockerfile"', Info("dockerfile", "Dockerfile")),
        ("python main.py", Info("python", "main.py")),
        ("python data.csv", Info("python")),
        ("tool_code", Info(label="tool_code")),
        ("c++17", Info("cpp")),
    ],
)
def test_an_info_string_is_read(info: str, read: Info) -> None:
    assert read_info(info) == read


@pytest.mark.parametrize(
    ("prose", "language", "name"),
    [
        ("### src/a.py", "python", "src/a.py"),
        ("## 2. `src/a.py`", "python", "src/a.py"),
        ("**File: a.py**", "python", "a.py"),
        ("- **a.py**: the helper", "python", "a.py"),
        ("text\n\n`a.py`:\n", "python", "a.py"),
        ("<!-- a.html -->", "html", "a.html"),
        ("Step 1: a.py", "python", "a.py"),
        ("Put this into `a.py`:", "python", "a.py"),
        ("Unlike `a.py`, put this into `b.py`:", "python", "b.py"),
        ("a.py\n\nThis adds:", "python", None),
        ("It reads `data.csv`:", "python", None),
        ("Run `python a.py`:", "bash", None),
        ("See https://example.org/a.py:", "python", None),
        ("It uses `a.py` for that", "python", None),
        ("", "python", None),
    ],
)
def test_the_line_before_a_block_may_name_it(
    prose: str, language: str | None, name: str | None
) -> None:
    assert name_before(prose, language) == name


@pytest.mark.parametrize(
    ("code", "language", "name"),
    [
        ("# a.py\nx = 1", "python", "a.py"),
        ("#!/usr/bin/env python3\n# a.py\nx = 1", "python", "a.py"),
        ("// src/a.ts\n", "typescript", "src/a.ts"),
        ("/* a.css */", "css", "a.css"),
        ("<!-- index.html -->", "html", "index.html"),
        ("-- filename: a.sql", "sql", "a.sql"),
        ("# reads a.py", "python", None),
        ("# data.csv", "python", None),
        ("# /srv/a.py", "python", None),
        ("# ../a.py", "python", None),
        ("x = 1\n# a.py", "python", None),
        ("", None, None),
    ],
)
def test_the_first_comment_may_name_a_block(
    code: str, language: str | None, name: str | None
) -> None:
    assert name_inside(code, language) == name
