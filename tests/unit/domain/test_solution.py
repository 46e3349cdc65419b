from __future__ import annotations

import pytest

from assay.domain.solution import Solution, SolutionFile


def _files(*paths: str) -> tuple[SolutionFile, ...]:
    return tuple(SolutionFile(path=path, code=path) for path in paths)


@pytest.mark.parametrize(
    ("imports", "code", "source"),
    [
        ("", "x = 1", "x = 1\n"),
        ("", "\n\nx = 1\n", "\n\nx = 1\n"),
        ("import os", "x = 1", "import os\n\nx = 1\n"),
        ("import os\n", "\n\nx = 1\n\n", "import os\n\nx = 1\n"),
        ("import os", "", "import os\n"),
        ("import os", "def f(): ...", "import os\n\n\ndef f(): ...\n"),
    ],
)
def test_source_joins_imports_and_code(imports: str, code: str, source: str) -> None:
    assert SolutionFile(path="a.py", imports=imports, code=code).source == source


@pytest.mark.parametrize(
    ("paths", "main"),
    [
        (["a.py"], "a.py"),
        (["a.py", "b.py"], "b.py"),
        (["main.py", "helper.py"], "main.py"),
        (["src/app.py", "src/app.css", "README.md"], "src/app.py"),
        (["fib.py", "test_fib.py"], "fib.py"),
        (["fib.py", "tests/fib.py", "conftest.py"], "fib.py"),
        (["test_fib.py"], "test_fib.py"),
        (["index.html"], "index.html"),
    ],
)
def test_the_main_file_is_the_program(paths: list[str], main: str) -> None:
    assert Solution(language="python", files=_files(*paths)).main.path == main


def test_prose_has_no_main_file() -> None:
    with pytest.raises(IndexError):
        _ = Solution(prefix="It depends.").main


def test_the_hash_depends_on_paths_and_contents_but_not_on_their_order() -> None:
    one = Solution(files=_files("a.py", "b.py"))
    assert one.sha256 == Solution(files=_files("b.py", "a.py")).sha256
    assert one.sha256 != Solution(files=_files("a.py", "c.py")).sha256
