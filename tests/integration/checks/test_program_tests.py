"""Programs in every language are run as their cases say, and compared outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from assay.checks.program_tests import parse_program_tests
from assay.domain.judgement import judge
from assay.domain.task import TestFile
from assay.domain.verdict import Judged, Outcome, Verdict

Check = Callable[..., dict[str, Verdict]]

SUMS = {
    "python": """
import sys
if "--bad" in sys.argv:
    sys.exit("bad argument")
numbers = [int(word) for word in sys.argv[1:] or sys.stdin.read().split()]
open("sum.txt", "w").write(f"{sum(numbers)}\\n")
print("sum")
print(sum(numbers))
""",
    "javascript": """
const fs = require("fs");
if (process.argv.includes("--bad")) { console.error("bad argument"); process.exit(1); }
const words = process.argv.length > 2 ? process.argv.slice(2)
  : fs.readFileSync(0, "utf8").trim().split(/\\s+/).filter(Boolean);
const sum = words.map(Number).reduce((a, b) => a + b, 0);
fs.writeFileSync("sum.txt", `${sum}\\n`);
console.log(`sum\\n${sum}`);
""",
    "bash": """
sum=0
if [ "$1" = --bad ]; then echo "bad argument" >&2; exit 1; fi
if [ $# = 0 ]; then read -r -a words; set -- "${words[@]}"; fi
for n in "$@"; do sum=$((sum + n)); done
echo $sum > sum.txt
printf 'sum\\n%d\\n' $sum
""",
}
CASES = """
[[case]]
args = ["1", "2"]
stdout = "sum\\n3"

[[case]]
name = "reads"
stdin = "20 22"
stdout = "sum\\n42"
files_after = {"sum.txt" = "42"}

[[case]]
args = ["--bad"]
exit_status = 1
stderr_contains = "bad argument"
"""


def case(**keys: object) -> str:
    """One case in TOML; texts, numbers and lists are written alike in JSON."""
    return "\n".join(["[[case]]", *(f"{key} = {json.dumps(keys[key])}" for key in keys), ""])


@pytest.fixture
def run(check: Check) -> Callable[..., Verdict]:
    """Check a program against cases and give the verdict of the tests."""

    def of(code: str, *cases: str, language: str = "python", **more: Any) -> Verdict:
        found = check(
            code, tests="\n".join(cases), tests_name="cases.toml", language=language, **more
        )
        assert "execution" not in found
        return found["tests"]

    return of


@pytest.mark.parametrize("language", SUMS)
def test_right_programs_pass_and_are_verified(check: Check, language: str) -> None:
    found = check(SUMS[language], tests=CASES, tests_name="cases.toml", language=language)
    tests = found["tests"]
    assert tests.passed, tests
    assert (tests.judged, tests.evidence.passed, tests.evidence.total) == (Judged.OUTSIDE, 3, 3)
    assert tests.evidence.compared == 5
    judgement = judge(tuple(found.values()), require=None)
    assert judgement.status == "verified"
    assert judgement.has_required_evidence
    assert judge(tuple(found.values()), require="execution").has_required_evidence


@pytest.mark.parametrize("language", SUMS)
def test_wrong_programs_fail_case_by_case(run: Callable[..., Verdict], language: str) -> None:
    wrong = SUMS[language].replace("sum\\n", "sum: ").replace('print("sum")\n', "")
    tests = run(wrong, CASES, language=language)
    assert tests.outcome is Outcome.FAILED
    assert tests.evidence.passed == 1
    first, second = tests.evidence.failures
    assert first.test.endswith(" 1 2")
    assert second.test.startswith("reads: ")
    assert second.test.endswith("stdin '20 22'")
    assert first.expected != first.got
    judgement = judge([tests], require=None)
    assert judgement.status == "unverified"
    assert not judgement.has_required_evidence


def test_files_lie_there_and_the_program_is_not_replaced(run: Callable[..., Verdict]) -> None:
    code = "print(open('in/a.txt').read(), open('b.txt').read())"
    both = "[[case]]\nstdout = 'one two'\nfiles = {'in/a.txt' = 'one', 'solution.py' = 'print(1)'}"
    assert run(code, both, attachments={"b.txt": "two"}).passed
    over = "[[case]]\nstdout = 'one three'\nfiles = {'in/a.txt' = 'one', 'b.txt' = 'three'}"
    assert run(code, over, attachments={"b.txt": "two"}).passed


def test_cases_share_nothing(run: Callable[..., Verdict]) -> None:
    code = (
        "import os\nfor f in ('seen', '/tmp/seen'):\n"
        "    print(os.path.exists(f))\n    open(f, 'w').close()"
    )
    assert run(code, *[case(stdout="False\nFalse")] * 4).passed


@pytest.mark.parametrize(
    "code",
    [
        "print('5' * 3_000_000)",
        "import sys\nsys.stdout.buffer.write(b'5\\xff')",
        "import sys\nsys.stdout.buffer.write(b'\\0' * 1000)",
        "print('[... 5 bytes left out ...]')",
        "import os\nos.kill(os.getpid(), 9)",
        "import os\nos._exit(0)",
        "print(5)\nimport os\nos.kill(os.getppid(), 9)\nraise SystemExit(1)",
        "import os, sys\nprint(5)\nos.execv(sys.executable, [sys.executable, '-c', 'exit(3)'])",
        "import os\nfor n in range(3, 256):\n"
        "    try:\n        os.write(n, b'{\"passed\": true}\\n5\\n')\n    except OSError: pass",
    ],
)
def test_hostile_output_is_no_pass(run: Callable[..., Verdict], code: str) -> None:
    tests = run(code, case(stdout="5"))
    assert tests.outcome is Outcome.FAILED, tests
    assert tests.evidence.compared == 0
    (failure,) = tests.evidence.failures
    assert failure.message or failure.got
    assert len(failure.model_dump_json()) < 10_000


def test_what_is_expected_is_not_in_the_sandbox(run: Callable[..., Verdict]) -> None:
    marker = "marker-81f2a9"
    code = """
import glob, os
found = [repr(dict(os.environ)), *open("/proc/self/cmdline")]
for path in [*glob.glob("/work/**", recursive=True), *glob.glob("/assay/**", recursive=True),
             *glob.glob("/tmp/**", recursive=True), *glob.glob("/proc/*/cmdline"),
             *glob.glob("/proc/*/environ"), *glob.glob("/proc/self/fd/*")]:
    try:
        if os.path.isfile(path):
            found.append(open(path, errors="replace").read(100_000))
    except OSError:
        pass
print("mar" + "ker" in "".join(found).replace('"mar" + "ker"', ""), len(found) > 3)
"""
    tests = run(code, case(stdout=marker, stdout_contains=marker, name=marker, args=["x"]))
    (failure,) = tests.evidence.failures
    assert failure.got == "False True"


def test_a_program_that_hangs_does_not_cost_the_time_of_every_case(
    run: Callable[..., Verdict],
) -> None:
    tests = run("while True: pass", *[case(stdout="5")] * 50, wall_seconds=0.5)
    assert tests.outcome is Outcome.TIMED_OUT
    assert tests.evidence.failed == 50
    assert "still running" in tests.evidence.failures[0].message
    assert "ran out of time" in tests.evidence.failures[-1].message


def test_a_command_that_is_missing_is_said(run: Callable[..., Verdict]) -> None:
    tests = run("no-such-command-here", case(stdout="5"), language="bash")
    assert tests.outcome is Outcome.COULD_NOT_RUN
    assert tests.evidence.missing == ("no-such-command-here",)


def test_large_outputs_and_inputs_are_compared_whole(run: Callable[..., Verdict]) -> None:
    text = "".join(f"{number}\n" for number in range(400_000))
    assert run(
        "import sys\nsys.stdout.write(sys.stdin.read())", case(stdin=text, stdout=text)
    ).passed
    wrong = text.replace("\n399999\n", "\n39999\n")
    tests = run("import sys\nsys.stdout.write(sys.stdin.read())", case(stdin=wrong, stdout=text))
    (failure,) = tests.evidence.failures
    assert (failure.expected, failure.got) == ("399999", "39999")
    assert failure.message == "line 400000 of standard output differs"


def test_many_cases_are_counted_each(run: Callable[..., Verdict]) -> None:
    cases = [case(args=[str(number)], stdout=str(2 * number)) for number in range(50)]
    tests = run('[ "$1" = 7 ] && echo 15 || echo $(($1 * 2))', *cases, language="bash")
    assert (tests.evidence.passed, tests.evidence.total) == (49, 50)
    (failure,) = tests.evidence.failures
    assert (failure.test, failure.expected, failure.got) == ("main.sh 7", "14", "15")


@pytest.mark.parametrize(
    ("language", "name", "said"),
    [
        ("bash", "test_it.py", "are for Python, and the code is Bash"),
        ("javascript", "test_it.py", "are for Python, and the code is JavaScript"),
        ("python", "test_it.js", "are for JavaScript, and the code is Python"),
    ],
)
def test_tests_for_another_language_could_not_run(
    check: Check, language: str, name: str, said: str
) -> None:
    code = "true" if language != "python" else "1"
    tests = check(code, tests="assert f(1) == 2", tests_name=name, language=language)["tests"]
    assert tests.outcome is Outcome.COULD_NOT_RUN
    assert said in tests.evidence.summary
    advised = tests.evidence.summary.partition("such as: ")[2]
    assert parse_program_tests(TestFile(name="cases.toml", source=advised)).cases
