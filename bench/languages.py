"""Checking a program that says hello, in each language whose toolchain is here."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from assay.checks.subject import Subject
from assay.client import Assay
from assay.domain.answer import Status
from assay.domain.languages import find_language
from assay.domain.solution import Solution, SolutionFile
from assay.domain.verdict import Outcome
from bench.tables import Table, milliseconds

ROUNDS = 11
LIMIT = 3.0
"""What Go may take, in times of C, once its cache is there."""

HELLO = {
    "c": '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n',
    "cpp": '#include <iostream>\nint main() { std::cout << "hello\\n"; }\n',
    "rust": 'fn main() { println!("hello"); }\n',
    "go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hello") }\n',
    "java": "public class Main {\n    public static void main(String[] args) {\n"
    '        System.out.println("hello");\n    }\n}\n',
    "typescript": 'const said: string = "hello";\nconsole.log(said);\n',
    "javascript": 'console.log("hello");\n',
    "bash": "echo hello\n",
    "python": 'print("hello")\n',
}


async def measure(rounds: int = ROUNDS) -> list[Table]:
    """Check each program in turn; a language whose toolchain is not here is left out."""
    subjects = {name: _subject(name, code) for name, code in HELLO.items()}
    seconds: dict[str, list[float]] = {}
    with TemporaryDirectory() as folder:
        async with Assay(data_folder=Path(folder)) as assay:
            for number in range(rounds + 1):
                for name, subject in subjects.items():
                    began = time.perf_counter()
                    report = await assay.check(subject)
                    if report.verdicts[0].outcome is Outcome.COULD_NOT_RUN:
                        continue
                    if report.judgement.status is not Status.RAN:
                        raise RuntimeError(f"hello in {name}: {report.judgement.headline}")
                    if number:  # the first one fills caches
                        seconds.setdefault(name, []).append(time.perf_counter() - began)
    medians = {name: median(values) for name, values in seconds.items()}
    return [
        Table(
            columns=("language", "median", "times C", "target"),
            rows=tuple(_row(name, value, medians.get("c")) for name, value in medians.items()),
            note=(
                f"`assay check` of a program that says hello, compiled where it has to be, in "
                f"{rounds} rounds of each in turn, with its sandboxes set up and taken down. One "
                "round before that is not counted."
            ),
        )
    ]


def _subject(name: str, code: str) -> Subject:
    known = find_language(name)
    path = known.default_file if known else name
    return Subject(Solution(language=name, files=(SolutionFile(path=path, code=code),)))


def _row(name: str, value: float, base: float | None) -> tuple[str, ...]:
    times = value / base if base else None
    target = ""
    if name == "go" and times is not None:
        target = f"at most {LIMIT:g}: {'met' if times <= LIMIT else 'missed'}"
    return (name, milliseconds(value), f"{times:.1f}" if times else "", target)
