"""Files of cases are read, and refused with what to do."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.program_tests import (
    EXAMPLE,
    MAX_DESCRIBED,
    Case,
    describe_cases,
    parse_program_tests,
)
from assay.domain.task import TestFile, TestKind
from assay.errors import BadInput


def parse(source: str) -> tuple[Case, ...]:
    return parse_program_tests(TestFile(name="cases.toml", source=source)).cases


def test_a_case_has_all_that_a_run_is_given_and_all_that_is_expected() -> None:
    (case,) = parse(
        """
        [[case]]
        name = "all"
        args = ["-n", "2 3"]
        stdin = "x\\n"
        files = {"in/a.txt" = "1"}
        stdout = ""
        stdout_contains = "one"
        stderr_contains = ["two", "three"]
        exit_status = 2
        files_after = {"out.txt" = "4"}
        exact = true
        """
    )
    assert case.args == ("-n", "2 3")
    assert case.stdout_contains == ("one",)
    assert case.stderr_contains == ("two", "three")
    assert case.exact
    assert case.expectations == 6


def test_the_example_of_the_message_can_be_used() -> None:
    (case,) = parse(EXAMPLE)
    assert (case.args, case.stdout, case.exit_status) == (("2", "3"), "5", 0)
    assert case.expectations == 1


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "holds no case"),
        ("case = []", "holds no case"),
        ("case = 1", "holds no case"),
        ("case = [1]", "Case 1 of cases.toml"),
        ("[[case", "not TOML"),
        ("[" * 5000, "not TOML"),
        ("[[cases]]\nstdout = 'x'", "holds no case"),
        ("[[case]]\nstdout = 'x'\n[other]", "`other`, which is not known; there is [[case]]"),
        ("[[case]]\nstdot = 'x'", "Case 1 of cases.toml has `stdot`, which is not known"),
        (
            "[[case]]\nstdout = 'x'\n[[case]]\nargs = [1]\nstdout = 'x'",
            "Case 2 of cases.toml needs",
        ),
        ("[[case]]\nstdout = 5", "put it in quotes"),
        ("[[case]]\nexit_status = 300", "`exit_status` that cannot be used"),
        ("[[case]]\nargs = ['x']", "expects nothing"),
        ("[[case]]\nstdout_contains = ' '", "looks for an empty text"),
        ("[[case]]\nstderr_contains = ['a', '']", "looks for an empty text"),
        ('[[case]]\nargs = ["a\\u0000"]\nstdout = "x"', "no NUL character"),
        (f"[[case]]\nargs = ['{'x' * 200_000}']\nstdout = 'x'", "100,000 bytes"),
        ("[[case]]\nstdout = 'x'\nfiles = {'../x' = ''}", "not inside the working folder"),
        ("[[case]]\nfiles_after = {'/etc/x' = ''}", "not inside the working folder"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_to_do(source: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(source)
    assert said in caught.value.message


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(source: str) -> None:
    for text in (source, f"[[case]]\n{source}", f"[[case]]\nstdout = {source}"):
        with suppress(BadInput):
            assert parse(text)


def test_cases_are_described_in_words_and_not_all_of_many() -> None:
    (case,) = parse(
        "[[case]]\nname = 'n'\nargs = ['a b']\nstdin = \"1\\n\"\nstdout = 'x'\nexit_status = 1\n"
        "files = {f = 'in'}\nstdout_contains = 'c'\nstderr_contains = 'e'\nfiles_after = {g = 'h'}"
    )
    assert describe_cases([case]) == (
        "- arguments: 'a b'\n"
        "  standard input: '1\\n'\n"
        "  the file f holds: 'in'\n"
        "  has to print: 'x'\n"
        "  has to print, among other things: 'c'\n"
        "  has to print on standard error, among other things: 'e'\n"
        "  has to leave the file g with: 'h'\n"
        "  has to end with exit status 1",
    )
    many = describe_cases([Case(stdout="x" * 100_000)] * (MAX_DESCRIBED + 3))
    assert len(many) == MAX_DESCRIBED + 1
    assert many[-1] == "- and 3 more like these"
    assert len("".join(many)) < 2000 * MAX_DESCRIBED


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cases.toml", TestKind.PROGRAM),
        ("CASES.TOML", TestKind.PROGRAM),
        ("a.test.js", TestKind.JAVASCRIPT),
        ("a.mjs", TestKind.JAVASCRIPT),
        ("a.cjs", TestKind.JAVASCRIPT),
        ("test_a.py", TestKind.PYTHON),
        ("tests", TestKind.PYTHON),
    ],
)
def test_a_file_s_name_says_what_it_is(name: str, kind: TestKind) -> None:
    assert TestFile(name=name, source="").kind is kind
