"""A language is added by a file, without touching code: Perl, by the file that the docs show."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.toolchains import require

DOCUMENT = Path(__file__).parents[2] / "docs" / "languages.md"
ADD = 'my ($x, $y) = @ARGV;\nprint $x + $y, "\\n";\n'
CASES = '[[case]]\nargs = ["2", "3"]\nstdout = "5"\n'
LIBRARY = "sub add { return $_[0] + $_[1] }\n1;\n"
TESTS = """use Test::More tests => 2;
require './solution.pl';
is(add(1, 2), 3, 'adds');
is(add(0, 0), {}, 'zero');
"""
WHOLE = 'title = "P"\nexecutables = ["p"]\nrun = ["p"]\ninstall = ""\n'
Assay = Callable[..., Any]
Script = Callable[..., str]


@pytest.fixture
def perl(tmp_path: Path) -> dict[str, str]:
    """The environment of someone who has written perl.toml as the documentation shows it."""
    require("perl")
    folder = tmp_path / "languages"
    folder.mkdir()
    (shown,) = re.findall(r"```toml\n# perl\.toml\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    (folder / "perl.toml").write_text(shown)
    return {"ASSAY_LANGUAGES": str(folder)}


def test_it_is_asked_for_checked_and_verified(
    assay: Assay, script: Script, perl: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "cases.toml").write_text(CASES)
    model = script([f"Adds.\n```perl\n{ADD}```"])
    question = ("ask", "A program that adds.", "--language", "perl", "--model", model)
    done = assay(*question, "--tests", tmp_path / "cases.toml", "--json", env=perl)
    assert done.status == 0, done.err
    assert (done.json["status"], done.json["language"]) == ("verified", "perl")
    assert assay("verify", done.json["receipt"], env=perl).status == 0
    without = assay("verify", done.json["receipt"])
    assert "Assay cannot run 'perl'" in without.err


def test_its_own_tests_are_counted(assay: Assay, perl: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "solution.pl").write_text(LIBRARY)
    for wanted, status in (("0", 0), ("1", 1)):
        (tmp_path / "adds.t").write_text(TESTS.format(wanted))
        files = (tmp_path / "solution.pl", "--tests", tmp_path / "adds.t")
        done = assay("check", *files, "--json", env=perl)
        assert done.status == status, done.err
        evidence = done.json["verdicts"][-1]["evidence"]
        assert (evidence["passed"], evidence["total"]) == (2 - status, 2)


def test_what_is_wrong_with_it_goes_back_to_the_model(
    assay: Assay, script: Script, perl: dict[str, str]
) -> None:
    right = {"text": f"```perl\n{ADD}```", "expect": "syntax error at solution.pl line 1"}
    model = script(["```perl\nprint (;\n```", right])
    done = assay("ask", "Add.", "-l", "perl", "--model", model, "--json", env=perl)
    assert len(done.json["attempts"]) == 2, done.err


def test_doctor_lists_it(assay: Assay, perl: dict[str, str]) -> None:
    assert "Perl" in assay("doctor", env=perl).out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "perl.toml cannot be used"),
        ('title = "Perl"', "executables: Field required"),
        (f'{WHOLE}version = ["-v"]\nx = 1', "x: Extra"),
        (WHOLE, "`probe` or `version`"),
        (f'{WHOLE}version = ["-v"]\nmissing = ["("]', "is no pattern"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(
    assay: Assay, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "perl.toml").write_text(text)
    done = assay("doctor", env={"ASSAY_LANGUAGES": str(tmp_path)})
    assert done.status == 2
    assert said in done.sentence


def test_a_language_nobody_knows_needs_names(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "brandnew.toml").write_text(f'{WHOLE}version = ["-v"]\n')
    done = assay("doctor", env={"ASSAY_LANGUAGES": str(tmp_path)})
    assert "needs a table [names]" in done.sentence


def test_a_language_that_nobody_has_is_told(assay: Assay, script: Script) -> None:
    done = assay("ask", "Add.", "-l", "brainfuck", "--model", script(["x"]))
    assert done.status == 2
    assert "Assay cannot run 'brainfuck'. It can run: bash, c, cpp, go, java" in done.sentence
