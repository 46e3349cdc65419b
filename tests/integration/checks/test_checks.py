"""The checks in a real sandbox: what each verdict says."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.checks.environment import describe_environment, say_environment
from assay.checks.runner import run_checks
from assay.checks.subject import Subject
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Grants, TestFile
from assay.domain.verdict import Verdict
from assay.errors import BadInput
from assay.sandbox.protocol import Sandbox

Check = Callable[..., dict[str, Verdict]]

ADD = "def add(a, b):\n    return a + b\n"


def outcomes(verdicts: dict[str, Verdict]) -> dict[str, str]:
    return {name: verdict.outcome.value for name, verdict in verdicts.items()}


def test_missing_modules_are_all_named_and_spare_what_comes_after(check: Check) -> None:
    verdicts = check(
        "import frobnicate_xyz.sub\nimport os\nfrom quux_abc import thing\n" + ADD,
        tests="assert add(1, 2) == 3\n",
        examples=["add(1, 2) == 3"],
    )
    assert outcomes(verdicts) == {
        "imports": "failed",
        "execution": "could_not_run",
        "examples": "could_not_run",
        "tests": "could_not_run",
    }
    evidence = verdicts["imports"].evidence
    assert evidence.missing == ("frobnicate_xyz", "quux_abc")
    assert evidence.summary == "ModuleNotFoundError: no module named 'frobnicate_xyz', 'quux_abc'"
    assert [one.test for one in evidence.failures] == [
        "import frobnicate_xyz.sub",
        "from quux_abc import thing",
    ]
    assert verdicts["tests"].evidence.missing == evidence.missing


def test_a_wrong_name_in_a_module_that_is_there_is_no_missing_module(check: Check) -> None:
    verdicts = check("from math import sinus\n")
    assert outcomes(verdicts) == {"imports": "failed", "execution": "failed"}
    assert verdicts["imports"].evidence.missing == ()
    assert "cannot import name 'sinus'" in verdicts["imports"].evidence.summary


def test_all_names_that_are_not_defined_are_said_at_once(check: Check) -> None:
    verdicts = check("print(first)\nprint(second, len([third]))\n")
    summary = verdicts["execution"].evidence.summary
    assert summary.startswith("NameError: name 'first' is not defined")
    assert summary.endswith("; also not defined: second, third")


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import frobnicate_xyz\nexcept ImportError:\n    frobnicate_xyz = None\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import frobnicate_xyz\n",
        "def f():\n    import frobnicate_xyz\n",
        "from __future__ import annotations\n",
        "import os, sys\nimport os.path as p\nfrom collections import *\n",
    ],
)
def test_imports_that_need_not_be_there(check: Check, code: str) -> None:
    assert outcomes(check(code)) == {"imports": "passed", "execution": "passed"}


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("main", "assert add(1, 2) == 3\n"),
        ("my-code.py", "from my_code import add\nassert add(1, 2) == 3\n"),
        ("random.py", "import random\nassert add(1, 2) == 3\n"),
        ("src/shop/calc.py", "assert add(1, 2) == 3\n"),
    ],
)
def test_a_file_of_any_name_can_be_imported_by_tests(check: Check, path: str, tests: str) -> None:
    assert set(outcomes(check({path: ADD}, tests=tests)).values()) == {"passed"}


def test_marks_and_odd_characters_in_the_source(check: Check) -> None:
    for code in ("\ufeffprint('é')\n", "print('\ud800')\n"):
        verdicts = check(code)
        assert set(outcomes(verdicts).values()) == {"passed"}
        assert verdicts["imports"].evidence.summary == "nothing is imported"


def test_no_import_no_run(check: Check) -> None:
    evidence = check("print(1)\n")["imports"].evidence
    assert (evidence.summary, evidence.command) == ("nothing is imported", ())


def test_a_module_missing_at_run_time(check: Check) -> None:
    verdict = check("def f():\n    import frobnicate_xyz\nf()\n")["execution"]
    assert verdict.outcome == "could_not_run"
    assert verdict.evidence.missing == ("frobnicate_xyz",)


def test_a_syntax_error_names_its_line(check: Check) -> None:
    verdicts = check("import os\ndef f(:\n    pass\n", examples=["f(1) == 2"])
    assert outcomes(verdicts) == {
        "imports": "failed",
        "execution": "not_run",
        "examples": "not_run",
    }
    assert "SyntaxError" in verdicts["imports"].evidence.summary
    assert "line 2: def f(:" in verdicts["imports"].evidence.summary


def test_several_files_import_each_other(check: Check) -> None:
    verdicts = check(
        {
            "shop/__init__.py": "",
            "shop/prices.py": "from .tax import RATE\ndef gross(net):\n    return net * RATE\n",
            "shop/tax.py": "RATE = 2\n",
            "test_shop.py": "import pytest_that_is_not_there\n",
            "main.py": "from shop.prices import gross\nprint(gross(3))\n",
        },
        tests="from shop.prices import gross\nassert gross(2) == 4\n",
        examples=["gross(5) == 10"],
    )
    assert set(outcomes(verdicts).values()) == {"passed"}
    assert verdicts["execution"].evidence.stdout == "6\n"


def test_a_missing_file_of_its_own_is_no_missing_package(check: Check) -> None:
    verdict = check(
        {"shop/__init__.py": "", "main.py": "import shop.prices\nprint(1)\n"},
    )["imports"]
    assert verdict.outcome == "failed"
    assert verdict.evidence.missing == ()


def test_an_import_that_ends_the_process(check: Check) -> None:
    verdict = check({"quits.py": "import os\nos._exit(0)\n", "main.py": "import quits\n"})[
        "imports"
    ]
    assert verdict.outcome == "failed"
    assert "ended early" in verdict.evidence.summary


@pytest.mark.parametrize("module", ["calculator", "solution", "my_code"])
def test_the_solution_has_the_name_that_the_tests_use(check: Check, module: str) -> None:
    source = f"from {module} import add\nresult = [add(1, 2)]\nassert result == [3]\n"
    verdict = check(ADD, tests=source)["tests"]
    assert verdict.passed, verdict


def test_failures_come_one_by_one(check: Check) -> None:
    source = "assert add(1, 2) == 3\nassert add(1, 1) == 3\nassert add('a', 1) == 'a1'\n"
    evidence = check(ADD, tests=source)["tests"].evidence
    assert evidence.summary == "1 of 3 passed"
    first, second = evidence.failures
    assert (first.test, first.expected, first.got) == ("add(1, 1) == 3", "3", "2")
    assert second.message.startswith("TypeError: ")


def test_failures_in_process_show_both_sides(check: Check) -> None:
    source = "import gc\ntotal = add(1, 1)\nassert total == 3\nassert total == 2\n"
    verdict = check(ADD, tests=source)["tests"]
    (failure,) = verdict.evidence.failures
    assert (failure.test, failure.expected, failure.got) == ("total == 3", "3", "2")
    assert verdict.judged == "in_process"
    assert verdict.evidence.summary == (
        "1 of 2 passed, in the solution's own process: line 1 imports gc, which looks into the "
        "solution's objects"
    )


def test_examples_are_judged_outside_whatever_they_compare(check: Check) -> None:
    verdict = check(ADD, examples=["add(1, 2) == 3", "add(1, 2) == add(2, 1)"])["examples"]
    assert verdict.passed
    assert verdict.judged == "outside"
    evidence = verdict.evidence
    assert (evidence.total, evidence.passed, evidence.compared) == (2, 2, 2)
    assert evidence.handles_compared == 0


def test_what_a_pass_rests_on_is_counted(check: Check) -> None:
    code = "class Point:\n    def __init__(self, x): self.x = x\n"
    code += "    def __eq__(self, other): return self.x == other.x\n" + ADD
    source = "assert add(1, 2) == 3\nassert Point(1) == Point(1)\nassert Point(2).x == 2\n"
    evidence = check(code, tests=source)["tests"].evidence
    assert (evidence.passed, evidence.compared, evidence.handles_compared) == (3, 2, 1)


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\n@pytest.mark.parametrize('a', [1, 2])\ndef test_add(a):\n"
        "    from adding import add\n    assert add(a, 1) == a + 1\n",
        "from adding import add\ndef test_in_file(tmp_path):\n    assert add(1, 2) == 3\n",
        "from adding import add\nclass TestAdd:\n    def test_one(self): assert add(1, 2) == 3\n",
    ],
)
def test_pytest_files_run_in_pytest_outside(check: Check, source: str) -> None:
    verdict = check(ADD, tests=source, wall_seconds=20)["tests"]
    assert verdict.passed, verdict
    assert verdict.judged == "outside"
    assert verdict.evidence.compared >= 1


def test_a_planted_conftest_hides_nothing_from_pytest(check: Check) -> None:
    code = (
        "import pathlib\npathlib.Path('conftest.py').write_text('def "
        "pytest_collection_modifyitems(items):\\n    items.clear()\\n')\n"
        "def add(a, b):\n    return a - b\n"
    )
    source = "from solution import add\ndef test_add(tmp_path):\n    assert add(1, 2) == 3\n"
    verdict = check(code, tests=source, wall_seconds=20)["tests"]
    assert verdict.outcome == "failed"


def test_why_a_test_skipped_itself_is_said_once(check: Check) -> None:
    source = (
        "import pytest\nfrom solution import add\ndef test_add():\n    assert add(1, 2) == 3\n"
        "def test_other():\n    pytest.skip('no network')\n"
    )
    evidence = check(ADD, tests=source, wall_seconds=20)["tests"].evidence
    assert evidence.summary == "1 of 1 passed; 1 skipped (no network)"


def test_pytest_where_no_test_is_run_has_not_passed(check: Check) -> None:
    source = "import pytest\npytestmark = pytest.mark.skip\ndef test_add(tmp_path): assert 0\n"
    verdict = check(ADD, tests=source, wall_seconds=20)["tests"]
    assert verdict.outcome == "could_not_run"
    assert verdict.evidence.skipped == 1


@pytest.mark.parametrize("before", ["", "import gc\n", "import pytest\n"])
def test_tests_of_a_solution_that_lacks_a_module_could_not_run(check: Check, before: str) -> None:
    code = f"if True:\n    import frobnicate_xyz\n{ADD}"
    source = f"{before}from solution import add\n" + "".join(
        f"def test_{number}():\n    assert add(1, {number}) == {number + 1}\n"
        for number in range(3)
    )
    verdict = check(code, tests=source, wall_seconds=20)["tests"]
    assert (verdict.outcome, verdict.evidence.failed) == ("could_not_run", 3)
    assert verdict.evidence.missing == ("frobnicate_xyz",)
    assert "ModuleNotFoundError" in verdict.evidence.failures[0].message


def test_tests_that_import_what_is_missing(check: Check) -> None:
    source = (
        "import frobnicate_xyz\nfrom solution import add\nassert add(1, 2) == frobnicate_xyz.x\n"
    )
    verdict = check(ADD, tests=source)["tests"]
    assert verdict.outcome == "could_not_run"
    assert verdict.evidence.missing == ("frobnicate_xyz",)


@pytest.mark.parametrize(
    "source", ["assert add(1, 2) == 3\nassert spin() == 1\n", "x = [spin()]\nassert x == [1]\n"]
)
def test_tests_that_never_end(check: Check, source: str) -> None:
    code = ADD + "def spin():\n    while True:\n        pass\n"
    verdict = check(code, tests=source, wall_seconds=1)["tests"]
    assert verdict.outcome == "timed_out"
    assert verdict.evidence.failures


def test_tests_that_use_up_the_memory(check: Check) -> None:
    code = "def grow():\n    return bytearray(10**10)\n"
    verdict = check(code, tests="assert grow() == 1\n")["tests"]
    assert verdict.outcome in {"out_of_memory", "failed"}


def test_javascript(check: Check) -> None:
    verdicts = check("const fs = require('fs');\nconsole.log(1 + 1);\n", language="javascript")
    assert outcomes(verdicts) == {"imports": "passed", "execution": "passed"}
    assert verdicts["execution"].evidence.stdout == "2\n"


def test_javascript_modules(check: Check) -> None:
    files = {
        "lib.js": "export const two = 2;\n",
        "main.js": "import { two } from './lib.js';\nimport 'node:fs';\nconsole.log(two);\n",
    }
    verdicts = check(files, language="javascript")
    assert outcomes(verdicts) == {"imports": "passed", "execution": "passed"}, verdicts


def test_javascript_that_lacks_a_package(check: Check) -> None:
    verdicts = check("import x from 'left-pad-xyz';\nconsole.log(x);\n", language="javascript")
    assert outcomes(verdicts) == {"imports": "failed", "execution": "could_not_run"}
    assert verdicts["imports"].evidence.missing == ("left-pad-xyz",)


def test_javascript_that_names_more_modules_than_can_be_told(check: Check) -> None:
    code = f"require('{'x' * 900}');\n" * 10_000
    imports = check(code, language="javascript", wall_seconds=60)["imports"]
    assert imports.outcome == "failed"
    assert "cannot be looked for" in imports.evidence.summary


def test_javascript_that_does_not_parse(check: Check) -> None:
    verdicts = check("const x = ;\n", language="javascript", examples=["f(1) == 2"])
    assert outcomes(verdicts) == {
        "imports": "failed",
        "execution": "not_run",
        "examples": "not_run",
    }
    assert "SyntaxError" in verdicts["imports"].evidence.summary


def test_examples_of_bash_say_that_they_cannot_run(check: Check) -> None:
    verdict = check("f() { :; }\n", language="bash", examples=["f(1) == 2"])["examples"]
    assert verdict.outcome == "could_not_run"
    assert "Python and JavaScript only" in verdict.evidence.summary


def test_bash(check: Check) -> None:
    assert outcomes(check("echo hi\n", language="bash")) == {
        "imports": "passed",
        "execution": "passed",
    }
    missing = check("echo hi\nfrobnicate_xyz 3\n", language="bash")["execution"]
    assert (missing.outcome, missing.evidence.missing) == ("could_not_run", ("frobnicate_xyz",))
    assert check("if ; then\n", language="bash")["imports"].outcome == "failed"
    failed = check("exit 3\n", language="bash")["execution"]
    assert (failed.outcome, failed.evidence.exit_status) == ("failed", 3)


def test_a_language_that_cannot_be_run_is_said_in_each_verdict(
    sandbox: Sandbox, packages_folder: Path
) -> None:
    solution = Solution(language="cobol", files=(SolutionFile(path="x.cob", code="STOP RUN."),))
    subject = Subject(solution, tests=(TestFile(name="t", source="x"),))
    seen: list[Verdict] = []
    verdicts = asyncio.run(
        run_checks(subject, sandbox, packages_folder, lambda _: None, seen.append)
    )
    assert {verdict.outcome for verdict in verdicts} == {"could_not_run"}
    assert len(seen) == 3
    assert "cobol" in verdicts[0].evidence.summary


def test_an_interpreter_that_is_not_there(check: Check) -> None:
    verdicts = check(ADD, grants=Grants(python="/nowhere/python"))
    assert set(outcomes(verdicts).values()) == {"could_not_run"}
    assert "--python" in verdicts["imports"].evidence.summary


def test_bad_tests_are_told_before_anything_runs(check: Check) -> None:
    with pytest.raises(BadInput, match="holds no test"):
        check(ADD, tests="x = 1\n")
    with pytest.raises(BadInput, match="calls nothing"):
        check(ADD, examples=["1 == 1"])


def test_prose_has_no_checks(sandbox: Sandbox, packages_folder: Path) -> None:
    subject = Subject(Solution(prefix="It depends."))
    assert (
        asyncio.run(run_checks(subject, sandbox, packages_folder, lambda _: None, lambda _: None))
        == ()
    )


def test_the_environment_is_what_runs(
    check: Check, sandbox: Sandbox, packages_folder: Path
) -> None:
    solution = Solution(files=(SolutionFile(path="solution.py", code="pass"),))
    environment = asyncio.run(describe_environment(Subject(solution), sandbox, packages_folder))
    ran = check("import sys\nprint('Python', sys.version.split()[0])\n")["execution"]
    assert ran.evidence.stdout.strip() == environment.toolchain
    assert environment.packages == ()
    said = say_environment(environment)
    assert environment.toolchain in said
    assert "no other packages" in said
    assert "OpenAI" not in said
    assert "OpenAI's API answers" in say_environment(environment, ["openai"])
    assert sys.version.split()[0] == environment.toolchain.split()[1]
