"""Tests that are long, loud, slow or end by themselves, and solutions that end under them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.domain.verdict import Verdict

Check = Callable[..., dict[str, Verdict]]

ADD = "def add(a, b):\n    return a + b\n"
WAIT = "import time\n\ndef wait(n):\n    time.sleep(n)\n    return n\n"


@pytest.mark.timeout(300)
def test_ten_thousand_cases(check: Check) -> None:
    source = (
        "import pytest\nfrom solution import add\n@pytest.mark.parametrize('i', range(10_000))\n"
        "def test_it(i):\n    assert add(i, 1) == i + 1 + (i % 2)\n"
    )
    verdict = check(ADD, tests=source, wall_seconds=100)["tests"]
    evidence = verdict.evidence
    assert (verdict.outcome, evidence.total, evidence.passed) == ("failed", 10_000, 5_000)
    assert (evidence.failed, evidence.compared) == (5_000, 5_000)
    assert evidence.failures[0].test == "test_it[1]: add(i, 1) == i + 1 + (i % 2)"


def test_the_case_that_ran_out_of_time_counts(check: Check) -> None:
    source = (
        "import pytest\nfrom solution import wait\n"
        "@pytest.mark.parametrize('n', [0, 60, 0])\ndef test_it(n):\n    assert wait(n) == n\n"
    )
    verdict = check(WAIT, tests=source, wall_seconds=3)["tests"]
    evidence = verdict.evidence
    assert (verdict.outcome, evidence.passed, evidence.total) == ("timed_out", 1, 2)
    (failure,) = evidence.failures
    assert failure.test == "test_it[60]"
    assert failure.message == "the test was still running after 3 seconds"


@pytest.mark.timeout(300)
def test_a_file_of_many_asserts(check: Check) -> None:
    source = "".join(f"assert add({i}, 1) == {i + 1}\n" for i in range(20_000))
    evidence = check(ADD, tests=source, wall_seconds=100)["tests"].evidence
    assert (evidence.passed, evidence.total, evidence.compared) == (20_000,) * 3


def test_tests_that_print_a_gigabyte(check: Check) -> None:
    source = "for _ in range(1_000):\n    print('x' * 1_000_000)\nassert add(1, 2) == 3\n"
    verdict = check(ADD, tests=source, wall_seconds=50)["tests"]
    assert verdict.passed
    assert verdict.evidence.output_cut
    assert len(verdict.evidence.stdout) < 3_000_000


UNITTEST = """
import unittest
class A(unittest.TestCase):
    def test_right(self): self.assertEqual(add(1, 2), 3)
class B(A):
    def test_wrong(self): self.assertEqual(add(1, 2), 4)
"""
IN_BLOCKS = """
assert add(1, 1) == 2
if add:
    def test_right(): assert add(1, 2) == 3
    def test_wrong(): assert add(1, 2) == 4
else:
    def test_other(): assert add(1, 2) == 5
"""
NESTED = """
class TestA:
    class TestB:
        def test_right(self): assert add(1, 2) == 3
        def test_wrong(self): assert add(1, 2) == 4
"""
HOOKS = """
calls = []
def setup_function(): calls.append(1)
def test_right(): assert add(1, 2) == 3
def test_wrong(): assert add(len(calls), 2) == 3
"""

MADE = """
def make(n):
    def test():
        assert add(n, 1) == n + 1 + (n == 4)
    return test
test_right = make(3)
test_wrong = make(4)
"""


@pytest.mark.parametrize("body", ["    main()\n", "    assert add(1, 1) == 2\n    main()\n"])
def test_what_is_asserted_where_the_file_is_the_program(check: Check, body: str) -> None:
    source = f"def main():\n    assert add(1, 2) == 4\nif __name__ == '__main__':\n{body}"
    verdict = check(ADD, tests=source)["tests"]
    (failure,) = verdict.evidence.failures
    assert (failure.test, failure.expected, failure.got) == ("add(1, 2) == 4", "4", "3")
    assert check(ADD, tests=source.replace("== 4", "== 3"))["tests"].passed


@pytest.mark.parametrize(
    ("source", "passed"), [(MADE, 1), (UNITTEST, 2), (IN_BLOCKS, 1), (NESTED, 1), (HOOKS, 1)]
)
def test_no_test_is_passed_over(check: Check, source: str, passed: int) -> None:
    verdict = check(ADD, tests=source, wall_seconds=20)["tests"]
    assert (verdict.outcome, verdict.judged) == ("failed", "outside")
    assert verdict.evidence.passed == passed
    (failure,) = verdict.evidence.failures
    assert "test_wrong" in failure.test


def test_tests_that_need_a_display_say_so(check: Check) -> None:
    source = "import tkinter\nwindow = tkinter.Tk()\nassert add(1, 2) == 3\n"
    verdict = check(ADD, tests=source)["tests"]
    assert not verdict.passed
    assert "display" in verdict.evidence.summary or verdict.evidence.missing == ("_tkinter",)


def test_tests_that_end_their_process_have_not_passed(check: Check) -> None:
    source = "import os\nassert add(1, 2) == 3\nassert os._exit(0)\nassert add(2, 2) == 4\n"
    verdict = check(ADD, tests=source)["tests"]
    assert verdict.outcome == "failed"
    second, third = verdict.evidence.failures
    assert second.message == "ended early with exit status 0"
    assert third.message == "not run after os._exit(0)"


def test_importing_may_take_as_long_as_one_run_and_the_tests_as_long_again(check: Check) -> None:
    code = f"{WAIT}\nwait(3)\n"
    assert check(code, tests="assert wait(3) == 3\n", wall_seconds=5)["tests"].passed


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("assert wait(60) == 60\n", "the test"),
        ("import time\ntime.sleep(60)\nassert 0\n", "the test file"),
    ],
)
def test_tests_may_not_take_longer(check: Check, source: str, what: str) -> None:
    verdict = check(WAIT, tests=source, wall_seconds=3)["tests"]
    assert verdict.outcome == "timed_out"
    assert verdict.evidence.summary.endswith(f"{what} was still running after 3 seconds")


def test_the_solutions_import_may_not_take_longer(check: Check) -> None:
    code = f"{WAIT}\nwait(60)\n"
    verdict = check(code, tests="assert wait(1) == 1\n", wall_seconds=2)["tests"]
    assert verdict.outcome == "timed_out"
    assert "the solution's import was still running after 2 seconds" in verdict.evidence.summary


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os\ndef add(a, b):\n    os._exit(0)\n", "ended early with exit status 0"),
        ("import os\ndef add(a, b):\n    os.abort()\n", "ended by SIGABRT"),
        ("import os\nos._exit(3)\n", "ended with exit status 3"),
    ],
)
def test_how_the_solutions_process_ended_is_told(check: Check, code: str, message: str) -> None:
    verdict = check(code, tests="assert add(1, 2) == 3\nassert add(2, 2) == 4\n")["tests"]
    assert verdict.outcome == "failed"
    messages = {failure.message for failure in verdict.evidence.failures}
    assert messages == {f"the solution's process: {message}"}


def test_what_tests_and_solution_write_into_files_both_can_read(check: Check) -> None:
    code = (
        "def shout(source, target):\n    with open(source) as file, open(target, 'w') as other:\n"
        "        other.write(file.read().upper())\n"
    )
    source = (
        "from solution import shout\ndef test_it(tmp_path):\n"
        "    (tmp_path / 'a').write_text('hi')\n    shout(tmp_path / 'a', 'b.txt')\n"
        "    assert open('b.txt').read() == 'HI'\n"
    )
    verdict = check(code, tests=source)["tests"]
    assert (verdict.outcome, verdict.judged) == ("passed", "outside")


MANY = "    for n in range(1_100):\n        open(os.path.join(folder, str(n)), 'w').close()\n"


@pytest.mark.parametrize(
    ("code", "source"),
    [
        (
            f"import os\ndef count(folder):\n{MANY}    return 1100\n",
            "from solution import count\n"
            "def test_it(tmp_path): assert count(str(tmp_path)) == 1100\n",
        ),
        (
            "import os\ndef count(folder):\n    return len(os.listdir(folder))\n",
            "import os\nfrom solution import count\n"
            f"def test_it(tmp_path):\n    folder = str(tmp_path)\n{MANY}"
            "    assert count(folder) == 1100\n",
        ),
    ],
    ids=["solution", "tests"],
)
def test_more_files_than_both_sides_can_have_are_no_failure(
    check: Check, code: str, source: str
) -> None:
    verdict = check(code, tests=source)["tests"]
    assert verdict.outcome == "could_not_run"
    assert "more than 1,000 files or 8 MiB were written at once" in verdict.evidence.summary
