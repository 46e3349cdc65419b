"""Test files of every kind: read, and held against the language of the code."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.examples import as_test_file
from assay.checks.native_tests import NativeTests, parse_native_tests
from assay.checks.program_tests import ProgramTests, parse_program_tests
from assay.checks.script_tests import ScriptTests, parse_script_examples, parse_script_tests
from assay.checks.testfile import ParsedTests, parse_tests
from assay.domain.task import Task, TestFile, TestKind
from assay.errors import UnknownName
from assay.sandbox.languages import get_language

GivenTests = ParsedTests | ProgramTests | ScriptTests | NativeTests

_IN_OTHER_LANGUAGES = (TestKind.JAVASCRIPT, TestKind.NATIVE)
_ADVICE = (
    "Cases in TOML run a program in any language; write a file for --tests such as: "
    'case = [{ args = ["2", "3"], stdout = "5" }]'
)


def parse_given_tests(file: TestFile) -> GivenTests:
    """Read a test file as what its name says that it is.

    Raises:
        BadInput: it cannot be read so, holds no test, or one that cannot fail.
    """
    if file.kind is TestKind.PROGRAM:
        return parse_program_tests(file)
    if file.kind is TestKind.NATIVE:
        return parse_native_tests(file, file.language)
    return parse_script_tests(file) if file.kind is TestKind.JAVASCRIPT else parse_tests(file)


def parse_examples(language: str | None, examples: Sequence[str]) -> GivenTests:
    """Read examples as the tests that they are, in Python where the language is open.

    Raises:
        BadInput: one is no expression, calls nothing, or is true whatever the code does.
    """
    if language == TestKind.JAVASCRIPT:
        return parse_script_examples(examples)
    return parse_tests(as_test_file(examples))


def in_language_of_tests(task: Task) -> Task:
    """The task in the language of its tests, where it names none and they are in one."""
    spoken = (file.language for file in task.tests if file.kind in _IN_OTHER_LANGUAGES)
    language = next(spoken, None)
    if task.language is not None or language is None:
        return task
    return task.model_copy(update={"language": language})


def why_unfit(language: str, tests: Sequence[TestFile], examples: Sequence[str]) -> str:
    """Why tests or examples cannot be run on code in this language; empty where they can."""
    try:
        title = get_language(language).title
    except UnknownName as error:
        return error.message
    spoken = (file for file in tests if file.kind is not TestKind.PROGRAM)
    other = next((file for file in spoken if file.language != language), None)
    if other is not None:
        meant = get_language(other.language).title
        return f"The tests in {other.name} are for {meant}, and the code is {title}. {_ADVICE}"
    if examples and language not in (TestKind.PYTHON, TestKind.JAVASCRIPT):
        return (
            f"Examples can be run for Python and JavaScript only, and the code is {title}. "
            f"{_ADVICE}"
        )
    return ""
