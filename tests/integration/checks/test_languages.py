"""Each language: programs that run, fail, hang, are tested; compilers speak in their own words."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.shared_cache import SHARED_CACHE
from tests.toolchains import require

from assay import Assay
from assay.agents.feedback import feedback_on
from assay.checks.subject import Subject
from assay.domain.answer import Attempt, Status
from assay.domain.limits import RunLimits
from assay.domain.results import Report
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import TestFile
from assay.domain.verdict import CheckName, Judged, Outcome, Verdict
from assay.sandbox.languages import COMPILE_LIMITS, get_language, language_names

CASES = Path(__file__).parents[2] / "cases" / "languages"
LONG = {"cpp", "go", "java", "rust"}
"""Their compilers take their time."""
NAMES = [
    pytest.param(path.stem, marks=[pytest.mark.slow] if path.stem in LONG else [])
    for path in sorted(CASES.glob("*.toml"))
]


@dataclass(frozen=True)
class Case:
    """Programs in one language."""

    language: str
    texts: dict[str, str]

    def subject(self, program: str, **more: Any) -> Subject:
        file = SolutionFile(path=self.texts["file"], code=self.texts[program])
        return Subject(Solution(language=self.language, files=(file,)), **more)

    def tests(self, which: str) -> tuple[TestFile, ...]:
        return (TestFile(name=self.texts["tests"], source=self.texts[which]),)


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    require(request.param)
    text = (CASES / f"{request.param}.toml").read_text("utf-8")
    return Case(request.param, tomllib.loads(text))


@pytest.fixture
def check() -> Callable[[Subject], Any]:
    # What compilers have compiled beforehand stays there.
    return lambda subject: Assay(cache_folder=SHARED_CACHE).check(subject)


def verdict(report: Report, name: CheckName) -> Verdict:
    return next(one for one in report.verdicts if one.check is name)


def test_every_language_has_its_programs() -> None:
    assert {path.stem for path in CASES.glob("*.toml")} == set(language_names())


async def test_hello(case: Case, check: Any) -> None:
    report = await check(case.subject("hello"))
    assert report.judgement.status is Status.RAN, report
    assert verdict(report, CheckName.EXECUTION).evidence.stdout == "hello\n"


async def test_a_compilers_own_words_go_back_to_the_model(case: Case, check: Any) -> None:
    report = await check(case.subject("broken"))
    assert verdict(report, CheckName.IMPORTS).outcome is Outcome.FAILED
    assert verdict(report, CheckName.EXECUTION).outcome is Outcome.NOT_RUN
    solution = case.subject("broken").solution
    attempt = Attempt(number=1, solution=solution, verdicts=report.verdicts)
    said = feedback_on(attempt, hide_tests=False)
    assert case.texts["complaint"] in said.replace("\u2018", "'").replace("\u2019", "'")


async def test_a_program_that_fails(case: Case, check: Any) -> None:
    report = await check(case.subject("crash"))
    ran = verdict(report, CheckName.EXECUTION)
    assert (ran.outcome, ran.evidence.exit_status) == (Outcome.FAILED, 3)


async def test_arguments_and_input_are_compared_outside(case: Case, check: Any) -> None:
    cases = '[[case]]\nargs = ["2"]\nstdin = "3\\n"\nstdout = "5"\n\n'
    cases += '[[case]]\nargs = ["-2"]\nstdin = "2\\n"\nstdout = "0"\n'
    file = TestFile(name="cases.toml", source=cases)
    report = await check(case.subject("program", tests=(file,)))
    assert report.judgement.status is Status.VERIFIED, report
    wrong = file.model_copy(update={"source": cases.replace('"5"', '"6"')})
    report = await check(case.subject("program", tests=(wrong,)))
    assert verdict(report, CheckName.TESTS).evidence.passed == 1


async def test_tests_in_the_languages_usual_way(case: Case, check: Any) -> None:
    right = await check(case.subject("code", tests=case.tests("right")))
    wrong = await check(case.subject("code", tests=case.tests("wrong")))
    passed, failed = (verdict(one, CheckName.TESTS) for one in (right, wrong))
    assert (passed.outcome, failed.outcome) == (Outcome.PASSED, Outcome.FAILED), (right, wrong)
    inside = case.language != "python"
    assert passed.judged is (Judged.IN_PROCESS if inside else Judged.OUTSIDE)
    assert right.judgement.status is (Status.RAN if inside else Status.VERIFIED)


async def test_an_endless_loop_is_ended(case: Case, check: Any) -> None:
    usual = get_language(case.language).limits
    limits = usual.model_copy(update={"wall_seconds": 1.0})
    report = await check(case.subject("loop", run_limits=limits))
    assert verdict(report, CheckName.EXECUTION).outcome is Outcome.TIMED_OUT


async def test_a_missing_toolchain_says_how_to_get_it(
    case: Case, check: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if case.language == "python":
        return  # it runs Assay itself
    monkeypatch.setenv("PATH", str(tmp_path))
    report = await check(case.subject("hello"))
    assert {one.outcome for one in report.verdicts} == {Outcome.COULD_NOT_RUN}
    assert "Install" in report.judgement.headline


async def test_a_program_cannot_be_made_of_what_the_machine_keeps(check: Any) -> None:
    require("c")
    secret = '#include "/etc/shadow"\n#include "/proc/self/environ"\nint main(void) { return 0; }\n'
    file = SolutionFile(path="solution.c", code=secret)
    report = await check(Subject(Solution(language="c", files=(file,))))
    said = verdict(report, CheckName.IMPORTS).evidence
    assert "No such file" in said.summary
    assert "root:" not in said.stderr


async def test_a_compiler_that_never_ends_is_ended(
    check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("c")
    from assay.checks import building

    quick = COMPILE_LIMITS.model_copy(update={"wall_seconds": 1.0})
    monkeypatch.setattr(building, "COMPILE_LIMITS", quick)
    file = SolutionFile(path="solution.c", code='#include "/dev/zero"\nint main(void) {}\n')
    report = await check(Subject(Solution(language="c", files=(file,))))
    verdicts = [one.outcome for one in report.verdicts]
    assert verdicts[0] in {Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY, Outcome.FAILED}
    assert verdicts[1] is Outcome.NOT_RUN


@pytest.mark.slow
async def test_a_source_of_five_megabytes_is_compiled(check: Any) -> None:
    require("c")
    lines = "".join(f"int f{n}(void) {{ return {n}; }}  // {'-' * 70}\n" for n in range(50_000))
    source = f'#include <stdio.h>\n{lines}int main(void) {{ puts("hello"); return 0; }}\n'
    assert len(source) > 5_000_000
    file = SolutionFile(path="solution.c", code=source)
    report = await check(Subject(Solution(language="c", files=(file,))))
    assert verdict(report, CheckName.EXECUTION).evidence.stdout == "hello\n", report


async def test_several_files_are_compiled_together(check: Any) -> None:
    require("c")
    files = (
        SolutionFile(path="add.h", code="int add(int, int);\n"),
        SolutionFile(
            path="add.c", code='#include "add.h"\nint add(int a, int b) { return a + b; }\n'
        ),
        SolutionFile(
            path="main.c",
            code='#include <stdio.h>\n#include "add.h"\n'
            'int main(void) { printf("%d\\n", add(1, 2)); return 0; }\n',
        ),
    )
    report = await check(Subject(Solution(language="c", files=files)))
    assert verdict(report, CheckName.EXECUTION).evidence.stdout == "3\n"


async def test_a_program_that_is_tested_is_compiled_once(
    check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("c")
    from assay.checks import building

    compiled = []
    real = building.compile_files

    async def counted(*arguments: Any) -> Any:
        compiled.append(arguments)
        return await real(*arguments)

    monkeypatch.setattr(building, "compile_files", counted)
    text = tomllib.loads((CASES / "c.toml").read_text("utf-8"))
    cases = "".join(
        f'[[case]]\nargs = ["{n}"]\nstdin = "1\\n"\nstdout = "{n + 1}"\n' for n in range(9)
    )
    subject = Case("c", text).subject("program", tests=(TestFile(name="c.toml", source=cases),))
    report = await check(replace(subject, run_limits=RunLimits()))
    assert report.judgement.status is Status.VERIFIED
    assert len(compiled) == 1
