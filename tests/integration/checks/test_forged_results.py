"""Code that wants a wrong answer to pass as right.

What is judged outside has to hold against all of it; most of that is in tests/security/checks.
Tests in the solution's own process are known to be deceivable: they hold against programs that
exit, print or write files.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.checks.evidence import MAX_FAILURES, MAX_SUMMARY
from assay.domain.verdict import Verdict

Check = Callable[..., dict[str, Verdict]]

WRONG = "def add(a, b):\n    return a - b\n"
TO_CHANNEL = """
import os
def send(text):
    for number in range(3, 64):
        try:
            os.write(number, text)
        except OSError:
            pass
"""

EQUAL_TO_ALL = """
class Any:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __gt__ = __le__ = __ge__ = __lt__
    def __hash__(self): return 3
    def __bool__(self): return True
    def __repr__(self): return "3"
def add(a, b):
    return Any()
"""


@pytest.mark.parametrize(
    "code",
    [
        "send(b'\\xff\\x00 not json\\n')\ndef add(a, b):\n    return 3\n",
        "def add(a, b):\n    body = b'[\"=\",2,3,null]'\n"
        "    send(len(body).to_bytes(4, 'big') + body)\n    return 3\n",
        "def add(a, b):\n    for _ in range(40):\n        send(b' ' * 1_000_000)\n    return 3\n",
    ],
    ids=["garbage", "another answer", "flood"],
)
def test_a_right_answer_beside_what_is_written_to_the_link_does_not_pass(
    check: Check, code: str
) -> None:
    verdict = check(TO_CHANNEL + code, tests="assert add(1, 2) == 3\n")["tests"]
    assert not verdict.passed, verdict
    assert (verdict.judged, verdict.evidence.passed) == ("outside", 0)


@pytest.mark.parametrize(
    "test",
    [
        "assert add(1, 2) > 1",
        "assert add(1, 2) <= 10",
        "assert add(1, 2) in (3, 4)",
        "assert 3 in add(1, 2)",
        "assert abs(add(1, 2) - 3) < 0.1",
        "assert add(1, 2) is True",
        "assert not add(1, 2)",
    ],
)
def test_what_an_object_that_says_yes_to_everything_satisfies_is_counted(
    check: Check, test: str
) -> None:
    verdict = check(EQUAL_TO_ALL, tests=test)["tests"]
    assert verdict.judged == "outside"
    assert verdict.outcome == "failed" or verdict.evidence.handles_compared == 1
    assert verdict.evidence.compared == 0


SETUP_FAILS = """
import pytest
from solution import add
def test_it():
    with pytest.raises(Exception):
        add("x", None)
"""


def test_a_solution_that_lacks_what_tests_import_does_not_raise_what_they_wait_for(
    check: Check,
) -> None:
    verdict = check("def other():\n    return 1\n", tests=SETUP_FAILS)["tests"]
    assert verdict.outcome == "failed"
    assert "has no `add`" in verdict.evidence.failures[0].message
    assert check(WRONG, tests=SETUP_FAILS)["tests"].passed  # the control: it does raise


def test_the_expected_value_never_enters_the_sandbox(check: Check) -> None:
    code = """
import pathlib, sys, os, gc
def add(a, b):
    paths = [p for p in pathlib.Path("/assay").rglob("*") if p.is_file()]
    paths += [pathlib.Path("/proc/self/cmdline"), pathlib.Path("/proc/self/environ")]
    seen = [p.read_text(errors="replace") for p in paths]
    seen += [str(o)[:100_000] for o in gc.get_objects() if isinstance(o, (dict, list))]
    return any("987" + "654" in text for text in seen)
"""
    verdict = check(code, tests="secret = 987654\nassert add(1, 2) == secret\n")["tests"]
    assert verdict.evidence.failures[0].got == "False"


FLOOD = """
import json, os
def f(x):
    return 99
def flood(message):
    data = (json.dumps(message) + chr(10)).encode() * 100_000
    os.write(CHANNEL, data[:0])
    while data:
        data = data[os.write(CHANNEL, data):]
for CHANNEL in range(3, 64):
    try:
        os.fstat(CHANNEL)
        if os.path.exists("/assay/tests.json"):
            nonce = json.load(open("/assay/tests.json"))["nonce"]
            flood({"nonce": nonce, "test": "t", "passed": False, "missing": "m" * 50})
        else:
            flood({"error": "x", "message": "y", "file": "solution.py", "missing": "m" * 50})
    except OSError:
        pass
"""


@pytest.mark.timeout(60)
def test_a_flood_of_reports_is_neither_kept_nor_long_to_read(check: Check) -> None:
    """Read with a look into the source for each, it would take an hour."""
    code = {"flood.py": FLOOD, "solution.py": "from flood import f\n" + "x = 1\n" * 20_000}
    verdicts = check(code, tests="import gc\nassert f(1) == 1\n", wall_seconds=20)
    assert verdicts["imports"].evidence.summary.endswith("there are more messages than imports")
    evidence = verdicts["tests"].evidence
    assert not verdicts["tests"].passed
    assert len(evidence.failures) <= MAX_FAILURES < evidence.failed
    assert len(evidence.summary) <= 2 * MAX_SUMMARY


IN_PROCESS_TEST = "import gc\nx = [1, 2]\nx.reverse()\nassert add(*x) == 3\n"


@pytest.mark.parametrize(
    "code",
    [
        WRONG + "import sys\nsys.exit(0)\n",
        WRONG + "import os\nos._exit(0)\n",
        "import os\ndef add(a, b):\n    os._exit(0)\n",
        "import sys\ndef add(a, b):\n    sys.exit(0)\n",
        "import atexit, os\natexit.register(os._exit, 0)\n" + WRONG,
        "print('1 passed')\n" + WRONG,
        TO_CHANNEL + """send(b'{"test": "line 3", "passed": true}\\n{"end": true}\\n')\n""" + WRONG,
        TO_CHANNEL
        + """send(b'{"test": "line 3", "passed": true, "nonce": "0"}\\n')\nos._exit(0)\n"""
        + WRONG,
        "import pathlib\nfor p in pathlib.Path('/assay').iterdir():\n"
        "    try:\n        p.write_text('')\n    except OSError:\n        pass\n" + WRONG,
    ],
)
def test_leaving_early_or_printing_does_not_pass_in_process(check: Check, code: str) -> None:
    verdict = check(code, tests=IN_PROCESS_TEST)["tests"]
    assert verdict.outcome == "failed", verdict
    assert verdict.judged == "in_process"


def test_a_test_of_which_nothing_ran_does_not_pass(check: Check) -> None:
    tests = "def test_it():\n    assert add(1, 2) == sum([3])\n    yield\n"
    verdict = check("def add(a, b):\n    return a + b\n", tests=tests)["tests"]
    assert verdict.outcome == "failed"
    assert "nothing of it ran" in verdict.evidence.failures[0].message


def test_what_in_process_cannot_hold_is_marked_as_such(check: Check) -> None:
    """An object that equals everything deceives a test in its own process; the verdict says so."""
    verdict = check(EQUAL_TO_ALL, tests=IN_PROCESS_TEST)["tests"]
    assert verdict.judged == "in_process"
    assert "in the solution's own process" in verdict.evidence.summary
