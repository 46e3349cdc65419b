from __future__ import annotations

import pytest

from assay.domain.languages import LANGUAGES, find_language, language_of_path


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("python", "python"),
        ("Python3", "python"),
        (" PYTHON 3.11 ", "python"),
        ("python-3.x", "python"),
        ("node", "javascript"),
        ("Node.js 20", "javascript"),
        ("ES6", "javascript"),
        ("tsx", "typescript"),
        ("shell", "bash"),
        ("C++17", "cpp"),
        ("c99", "c"),
        ("C#", "csharp"),
        ("golang", "go"),
        ("html5", "html"),
        ("yml", "yaml"),
    ],
)
def test_a_language_is_known_by_each_of_its_names(said: str, meant: str) -> None:
    found = find_language(said)
    assert found is not None
    assert found.name == meant


@pytest.mark.parametrize("said", ["", " ", "brainfuck", "3.11", "title=a.py", "py" * 1000])
def test_what_is_no_language_is_none(said: str) -> None:
    assert find_language(said) is None


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("a.py", "python"),
        ("src/deep/x.test.TSX", "typescript"),
        ("Dockerfile", "dockerfile"),
        ("sub/Makefile", "makefile"),
        ("go", None),
        ("a.unknown", None),
        ("src.py/readme", None),
    ],
)
def test_a_path_tells_its_language(path: str, meant: str | None) -> None:
    found = language_of_path(path)
    assert (found.name if found else None) == meant


def test_no_name_or_extension_stands_for_two_languages() -> None:
    names = [name for entry in LANGUAGES for name in (entry.name, *entry.aliases)]
    extensions = [extension for entry in LANGUAGES for extension in entry.extensions]
    assert len(names) == len(set(names))
    assert len(extensions) == len(set(extensions))


def test_each_default_file_is_of_its_own_language() -> None:
    assert all(language_of_path(entry.default_file) == entry for entry in LANGUAGES)
