"""What is asked."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Literal

from pydantic import Field

from assay.domain.choices import AnswerKind, Require
from assay.domain.data import Data
from assay.domain.languages import language_of_path
from assay.domain.limits import Limits, RunLimits
from assay.domain.solution import Solution


class Attachment(Data):
    """A file of the user's that lies in the working folder of every run, under its own name."""

    name: str
    content: bytes

    @property
    def text(self) -> str | None:
        """The content as text, None where it is not UTF-8 text."""
        if b"\0" in self.content:
            return None
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None


class TestKind(StrEnum):
    """What a test file's name says of its tests."""

    __test__ = False

    PYTHON = "python"
    """Plain asserts, pytest or unittest."""
    JAVASCRIPT = "javascript"
    """node:test, or plain asserts."""
    PROGRAM = "program"
    """Cases in TOML: runs of a program in any language."""
    NATIVE = "native"
    """Tests of another language, in its usual way."""


class TestFile(Data):
    """Tests of the user's."""

    __test__ = False

    name: str
    source: str

    @property
    def kind(self) -> TestKind:
        """What its name says."""
        if self.name.lower().endswith(".toml"):
            return TestKind.PROGRAM
        match self.language:
            case "python":
                return TestKind.PYTHON
            case "javascript":
                return TestKind.JAVASCRIPT
        return TestKind.NATIVE

    @property
    def language(self) -> str:
        """The language that its name speaks of; Python where it speaks of no program's."""
        found = language_of_path(self.name)
        return found.name if found and found.is_program else "python"

    @property
    def sha256(self) -> str:
        """Hash of the source as UTF-8."""
        return hashlib.sha256(self.source.encode()).hexdigest()


class Grants(Data):
    """What a run is given beyond the bare sandbox, each only by a flag of the user's."""

    env: tuple[str, ...] = ()
    """Names of environment variables; their values are read at each run and stored nowhere."""
    python: str | None = None
    """Path of the interpreter to run Python with; its own packages come with it."""
    requirements: str | None = None
    """Text of a requirements file; installed from wheels only."""
    stand_ins: tuple[Literal["openai"], ...] = ()
    """Model APIs that are played inside the sandbox."""


class Earlier(Data):
    """What a follow-up knows of the session that it goes on from, which may be gone by now."""

    session: str
    questions: tuple[str, ...]
    """What was asked, the first question of a chain first; each may be shortened."""
    solution: Solution
    standing: str = ""
    """What its checks came to."""
    failures: tuple[str, ...] = ()
    """Why other answers had failed."""
    documentation: str = ""
    """As it was in the prompts."""
    grants: Grants = Grants()
    """What its runs were given; a follow-up has to be given it again."""
    trust_in_process: bool = False
    """Likewise."""


class Task(Data):
    """What is asked: instructions, and everything that the person gave along."""

    instructions: str
    language: str | None = None
    """Name of a language; None: the model decides, Python where it does not say."""
    documentation: tuple[str, ...] = ()
    """Folders, files and URLs."""
    attachments: tuple[Attachment, ...] = ()
    tests: tuple[TestFile, ...] = ()
    examples: tuple[str, ...] = ()
    """Expressions such as `f(1, 2) == 3`."""
    answer: AnswerKind = "auto"
    require: Require | None = None
    """The evidence that is wanted. None: tests where there are any, else execution."""
    grants: Grants = Grants()
    limits: Limits = Limits()
    """Left out, those of the settings."""
    run_limits: RunLimits | None = None
    """None: the language's own."""
    seed: int | None = None
    reflect: bool = False
    hide_tests: bool = False
    """Whether no model is shown the test files, nor anything of what their runs said."""
    trust_in_process: bool = False
    """Whether tests that ran in the solution's own process count as verification."""
    folder: tuple[str, ...] = ()
    """Names of the attachments that are the files of a folder which is worked on."""
    test_command: tuple[str, ...] = ()
    """What tests that folder: its words."""
    check_in: bool = False
    """Whether the answer is going to be checked in: then a team writes a text for it."""
    earlier: Earlier | None = None
    """Of a follow-up."""


class DocumentPage(Data):
    """One page of documentation as Markdown."""

    source: str
    """Path or URL that it was read from."""
    title: str
    text: str
    tokens: int = Field(ge=0)
