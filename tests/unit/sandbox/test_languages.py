"""Languages are data: found by any of their names, and by what a file is called."""

from __future__ import annotations

import pytest

from assay.errors import UnknownName
from assay.sandbox.languages import get_language, language_names, language_of_path
from assay.sandbox.protocol import Toolchain


def test_these_can_be_run() -> None:
    assert language_names() == (
        *("bash", "c", "cpp", "go", "java", "javascript", "python", "rust", "typescript"),
    )


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("python", "python"),
        ("Py", "python"),
        (" js ", "javascript"),
        ("shell", "bash"),
        ("Python 3.12", "python"),
    ],
)
def test_aliases(name: str, language: str) -> None:
    assert get_language(name).name == language


def test_an_unknown_one_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="bash, c, cpp, go, java, javascript, python"):
        get_language("cobol")


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("x.MJS", "javascript"),
        ("run.sh", "bash"),
        ("x.txt", None),
        ("x", None),
    ],
)
def test_by_extension(path: str, language: str | None) -> None:
    found = language_of_path(path)
    assert (found and found.name) == language


def test_commands_name_the_interpreter_and_the_file() -> None:
    toolchain = Toolchain("bash", "/bin/bash", "5")
    bash = get_language("bash")
    assert bash.run_command(toolchain, "a b.sh") == ("/bin/bash", "a b.sh")
    assert bash.check_command(toolchain, "x") == ("/bin/bash", "-n", "x")


@pytest.mark.parametrize(
    ("language", "stderr", "missing"),
    [
        ("python", "Traceback …\nModuleNotFoundError: No module named 'a.b'\n", ("a.b",)),
        ("python", "ValueError: ModuleNotFoundError: No module named 'a'\n", ()),
        ("javascript", "Error: Cannot find module 'left-pad'\n", ("left-pad",)),
        (
            "javascript",
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /work/a.mjs\n",
            ("x",),
        ),
        ("bash", "solution.sh: line 3: frob: command not found\n", ("frob",)),
        ("bash", "a: line 1: x: command not found\na: line 2: x: command not found\n", ("x",)),
    ],
)
def test_what_is_missing_is_read_from_stderr(
    language: str, stderr: str, missing: tuple[str, ...]
) -> None:
    assert get_language(language).missing_in(stderr) == missing


@pytest.mark.parametrize(
    ("language", "stderr", "ran_out"),
    [
        ("python", "Traceback …\nMemoryError\n", True),
        ("python", "ValueError: no MemoryError here\n", False),
        (
            "javascript",
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
            True,
        ),
        ("bash", "bash: fork: Cannot allocate memory\n", True),
        ("bash", "all is well\n", False),
    ],
)
def test_running_out_of_memory_is_recognised(language: str, stderr: str, ran_out: bool) -> None:
    assert get_language(language).ran_out_of_memory(stderr) is ran_out
