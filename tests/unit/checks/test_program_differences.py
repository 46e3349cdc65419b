"""What a program printed is compared with what is expected, whatever it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.program_differences import SHOWN, Difference, find_differences
from assay.checks.program_tests import Case
from assay.sandbox.output import Collector
from assay.sandbox.protocol import Ending, Output, Run


def output(content: bytes, limit: int = 10_000_000) -> Output:
    collector = Collector(limit)
    collector.add(content)
    return collector.output()


def ran(stdout: bytes | str = b"", stderr: bytes = b"", status: int = 0, limit: int = 10**7) -> Run:
    content = stdout.encode() if isinstance(stdout, str) else stdout
    return Run(Ending.EXITED, status, None, output(content, limit), output(stderr), 0.1, 0.1, None)


@pytest.mark.parametrize(
    ("expected", "printed", "same", "exactly"),
    [
        ("5", "5\n", True, False),
        ("5\n", "5\n", True, True),
        ("a\nb", "a  \r\nb\t\n\n\n", True, False),
        ("", "", True, True),
        ("", "\n", True, False),
        ("5", "6", False, False),
        ("5", "", False, False),
        ("5", " 5", False, False),
        ("a\nb", "a b", False, False),
        ("a\n\nb", "a\nb", False, False),
        ("a", "a\nb", False, False),
        ("ä€😀", "ä€😀\n", True, False),
    ],
)
def test_line_ends_and_trailing_space_count_only_where_it_is_exact(
    expected: str, printed: str, same: bool, exactly: bool
) -> None:
    assert (find_differences(Case(stdout=expected), ran(printed)) == []) is same
    assert (find_differences(Case(stdout=expected, exact=True), ran(printed)) == []) is exactly


def test_the_first_line_that_differs_is_shown() -> None:
    assert find_differences(Case(stdout="5"), ran("6\n")) == [Difference("", "5", "6")]
    assert find_differences(Case(stdout="a\nb\nc"), ran("a\nx\ny")) == [
        Difference("line 2 of standard output differs", "b", "x")
    ]
    assert find_differences(Case(stdout="a\nb"), ran("a")) == [
        Difference("line 2 of standard output differs", "b", "no such line")
    ]
    assert find_differences(Case(stdout="5", exact=True), ran("5 ")) == [
        Difference("", "5", "'5 '")
    ]
    assert find_differences(Case(stdout="5"), ran("")) == [Difference("", "5", "''")]
    (long,) = find_differences(
        Case(stdout="x" * 1000 + "a" + "y" * 1000), ran("x" * 1000 + "b" + "y" * 1000)
    )
    assert len(long.got) <= SHOWN + 2
    assert "xb" in long.got
    assert "xa" in long.expected


def test_bytes_that_only_look_like_the_text_are_not_the_text() -> None:
    assert find_differences(Case(stdout="\\xff"), ran("\\xff")) == []
    (found,) = find_differences(Case(stdout="\\xff"), ran(b"\xff"))
    assert "not UTF-8" in found.message
    assert find_differences(Case(stdout="\x00\x1b[31m"), ran("\x00\x1b[31m\n")) == []


def test_more_than_is_kept_is_never_equal() -> None:
    expected = "a" * 40 + "b" * 40
    printed = "a" * 40 + "b" * 5000 + "b" * 40
    (found,) = find_differences(Case(stdout=expected), ran(printed, limit=80))
    assert "5,080 bytes" in found.message
    mark = ran(printed, limit=80).stdout.text
    assert find_differences(Case(stdout=mark), ran(printed, limit=80)) != []


def test_parts_and_the_exit_status_are_looked_for() -> None:
    case = Case(stdout_contains=("two\n three",), stderr_contains=("bad",), exit_status=2)
    assert find_differences(case, ran("one two \n three", b"it is bad", status=2)) == []
    found = find_differences(case, ran("one", b"Traceback\nValueError: x", status=1))
    assert [one.message for one in found] == [
        "exit status 1 in place of 2 (ValueError: x)",
        "standard output does not contain it",
        "standard error does not contain it",
    ]
    (cut,) = find_differences(Case(stdout_contains=("z",)), ran("x" * 500, limit=100))
    assert "as far as its 500 bytes are kept" in cut.message


def test_files_are_compared() -> None:
    case = Case(files_after={"a": "1\n2", "b": "3"})
    run = replace(ran(), files={"a": b"1\r\n2\n", "b": b"3"})
    assert find_differences(case, run) == []
    assert [one.message for one in find_differences(case, replace(run, files={"a": b"1"}))] == [
        "line 2 of the file a differs",
        "there is no file b that can be read",
    ]
    (found,) = find_differences(case, replace(run, files={"a": b"1\n2", "b": b"\xff"}))
    assert "not UTF-8" in found.message


def test_a_run_that_was_stopped_meets_nothing() -> None:
    for ending in (Ending.TIMED_OUT, Ending.OUT_OF_MEMORY, Ending.TOO_MANY_FILES):
        run = replace(ran("5"), ending=ending, exit_status=None)
        (found,) = find_differences(Case(stdout="5"), run)
        assert found.message
    killed = replace(ran("5"), ending=Ending.SIGNALLED, exit_status=None, signal="SIGSEGV")
    (found,) = find_differences(Case(stdout="5"), killed)
    assert "SIGSEGV" in found.message


@given(st.text(max_size=30), st.binary(max_size=60), st.booleans())
def test_only_what_is_the_text_passes(expected: str, printed: bytes, exact: bool) -> None:
    found = find_differences(Case(stdout=expected, exact=exact), ran(printed))
    try:
        text = printed.decode()
    except UnicodeDecodeError:
        assert found != []
        return
    assert not exact or (found == []) is (text == expected)
    if not found:
        assert text.split() == expected.split()
    assert find_differences(Case(stdout=text, exact=exact), ran(printed)) == []
