"""Where a test file runs is read from its source, before the solution runs."""

from __future__ import annotations

import pytest

from assay.checks.testfile import ParsedTests, parse_tests
from assay.domain.task import TestFile

TEST = "def test_it({}):\n    {}\n    assert f(1) == 2\n"
IMPORTS = "import time, solution\nfrom unittest import mock\nfrom unittest.mock import patch\n"


def patched(statement: str) -> str:
    """A test that patches something with pytest's monkeypatch."""
    return IMPORTS + TEST.format("monkeypatch", f"monkeypatch.{statement}")


def mocked(call: str) -> str:
    """A test that patches something with a decorator of unittest.mock."""
    return f"{IMPORTS}@{call}\n" + TEST.format("fake", "1")


def parse(source: str) -> ParsedTests:
    return parse_tests(TestFile(name="test_it.py", source=source))


@pytest.mark.parametrize(
    "source",
    [
        "assert f(1) == f(2)",
        "from solution import *\nassert f(1) == 2",
        "import math, datetime, random, json, copy, enum, asyncio, time, io, pathlib\nassert f(1)",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nassert f(P(1)) == 1",
        "class Node:\n    pass\nclass Leaf(Node):\n    pass\nassert f(Leaf())",
        "from abc import ABC\nclass Shape(ABC):\n    pass\nassert f(Shape)",
        "class E(ValueError):\n    pass\nassert f(E)",
        "from typing import Generic as G, TypeVar\nclass B(G[TypeVar('T')]): ...\nassert f(B)",
        TEST.format("tmp_path, capsys", "f(tmp_path)"),
        patched("setattr(solution, 'now', 1)"),
        patched("setattr('solution.now', lambda: 1)"),
        mocked("patch('solution.fetch')"),
        mocked("mock.patch.object(solution, 'fetch')"),
        TEST.format("monkeypatch", "fake = Fake(); monkeypatch.setattr(fake, 'x', 1)"),
        "import sys, os\nsys.path.insert(0, os.getcwd())\nassert f(1) == 2",
    ],
)
def test_what_can_be_judged_outside(source: str) -> None:
    assert parse(source).why_in_process == ""


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import threading\nassert f(1)", "line 1 imports threading"),
        ("assert f(1)\nfrom concurrent.futures import Future", "line 2 imports concurrent.futures"),
        ("import pickle\nassert pickle.loads(f(1))", "looks into the solution's objects"),
        ("from dataclasses import asdict\nassert asdict(f(1)) == {}", "dataclasses.asdict"),
        ("import dataclasses as d\nassert d.asdict(f(1)) == {}", "dataclasses.asdict"),
        ("import sys\nassert sys.modules['solution']", "sys.modules"),
        ("import os\nos.environ['A'] = '1'\nassert f(1)", "os.environ"),
        ("assert f(1).__dict__ == {}", "__dict__"),
        ("assert vars(f(1)) == {}", "vars"),
        ("from solution import A\nclass B(A):\n    pass\nassert B()", "derives a class from"),
        ("class B(A):\n    pass\nassert B()", "derives a class from the solution's A"),
        ("import solution\nclass B(solution.A): ...\nassert B()", "solution.A"),
        (TEST.format("capfd", "1"), "capfd"),
        (TEST.format("caplog", "1"), "caplog"),
        (TEST.format("*, caplog", "1"), "caplog"),
        (TEST.format("capfd, /", "1"), "capfd"),
        (
            "import pytest\n@pytest.mark.usefixtures('x', 'caplog')\n" + TEST.format("", "1"),
            "caplog",
        ),
        (
            "import pytest\npytestmark = [pytest.mark.usefixtures('recwarn')]\n"
            + TEST.format("", "1"),
            "recwarn",
        ),
        (TEST.format("request", "request.getfixturevalue('caplog')"), "caplog"),
        (patched("setenv('A', '1')"), "monkeypatch.setenv"),
        (patched("setattr(time, 'time', 1)"), "line 5 patches time"),
        (patched("setattr('time.sleep', 1)"), "patches time.sleep"),
        (patched("setattr('builtins.input', 1)"), "builtins.input"),
        (patched("setattr('solution.os.getcwd', 1)"), "solution.os"),
        (patched("setattr(solution.Api, 'get', 1)"), "solution.Api"),
        (mocked("patch('solution.print')"), "solution.print"),
        (mocked("mock.patch('time.time')"), "time.time"),
        (mocked("patch.dict('os.environ')"), "os.environ"),
        (mocked("patch.object(solution.Api, 'get')"), "solution.Api"),
        (
            "import pytest\ndef test_it():\n    with pytest.warns(UserWarning):\n        f(1)",
            "warns",
        ),
    ],
)
def test_what_has_to_be_in_the_solutions_process(source: str, reason: str) -> None:
    assert reason in parse(source).why_in_process


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("assert f(1) == 2", False),
        (TEST.format("tmp_path", "1"), True),
        ("assert f(open('a')) == 2", True),
    ],
)
def test_files_are_kept_alike_only_where_tests_speak_of_them(source: str, expected: bool) -> None:
    assert parse(source).needs_files is expected
