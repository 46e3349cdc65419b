"""Languages that can be run: one TOML file each, Assay's own and those of the person's.

A file says how a toolchain is found, how programs are compiled, checked and run, and how tests in
the language's usual way are. docs/languages.md tells how to write one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from assay.domain import languages as names
from assay.domain.data import Data, say_problem
from assay.domain.limits import MIB, RunLimits
from assay.errors import BadInput, UnknownName
from assay.files import UnreadableFile, read_regular_file
from assay.sandbox.protocol import Toolchain

COMPILE_LIMITS = RunLimits(
    wall_seconds=60,
    cpu_seconds=120,
    memory_bytes=2048 * MIB,
    processes=256,
    open_files=1024,
    file_bytes=512 * MIB,
)
"""What compiling may use, which is not the program's own doing."""

FILE_LIMIT = MIB


class Compile(Data):
    """How a program is made; see `Language.run_command` for the places in commands."""

    command: tuple[str, ...] = Field(min_length=1)
    sources: tuple[str, ...] = ()
    """Extensions of the files that `{sources}` stands for."""
    outputs: tuple[str, ...] = Field(min_length=1)
    """Files that it makes and a run needs."""


class LanguageTests(Data):
    """How tests in the language's usual way are run, in the solution's own process."""

    names: tuple[str, ...] = ()
    """How the names of their files end. None: any file of the language."""
    files: dict[str, str] = Field(default_factory=dict)
    """Files that are written beside them; places are filled in."""
    compile: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    run: tuple[str, ...] = Field(min_length=1)
    passed: str = ""
    """A pattern for lines of stdout whose first group is the name of a test that passed."""
    failed: str = ""


class Cache(Data):
    """What a compiler has compiled beforehand; runs can read it and no more."""

    variable: str
    """Of the environment, that names its folder."""
    command: tuple[str, ...] = Field(min_length=1)
    """Fills it, with `files` in the current folder; run outside the sandbox, as it is ours."""
    files: dict[str, str]


class NamesOf(Data):
    """How else a language that is added may be called."""

    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...] = Field(min_length=1)
    stem: str = "solution"


class Language(Data):
    """How programs of one language are found, compiled, checked and run."""

    name: str
    title: str
    """As people write it: `JavaScript`."""
    names: NamesOf | None = None
    """Of a language that Assay does not know by itself."""
    executables: tuple[str, ...] = Field(min_length=1)
    """Names of the interpreter or compiler on PATH, best first."""
    probe: tuple[str, ...] = ()
    """Arguments that make it print its own path and, on the second line, its version."""
    version: tuple[str, ...] = ()
    """In place of `probe`: arguments that make it print its version among other things."""
    home: tuple[str, ...] = ()
    """With `version`: arguments that make it print its installation's folder."""
    seen: tuple[str, ...] = ()
    """Patterns of files and folders outside the installation that runs have to see, read-only."""
    also: str | None = None
    """Another language whose toolchain runs need: `{also}` is its executable."""
    run: tuple[str, ...] = Field(min_length=1)
    check: tuple[str, ...] = ()
    """Like `run`, but only reads the file; exit status 0 means that its syntax is right."""
    compile: Compile | None = None
    tests: LanguageTests | None = None
    cache: Cache | None = None
    files: dict[str, str] = Field(default_factory=dict)
    """Files that every run has, where the solution brings none of that name."""
    limits: RunLimits = RunLimits()
    env: dict[str, str] = Field(default_factory=dict)
    """Set in every run."""
    out_of_memory: tuple[str, ...] = ()
    """Patterns for stderr (multi-line) of a program that ended because memory ran out."""
    missing: tuple[str, ...] = ()
    """Patterns for stderr (multi-line) whose first group is a module or command not found."""
    install: str
    """How a person gets the toolchain."""

    @model_validator(mode="after")
    def _can_be_used(self) -> Self:
        if bool(self.probe) == bool(self.version):
            raise ValueError("it has either `probe` or `version`")
        tests = self.tests
        patterns = (*self.out_of_memory, *self.missing)
        for pattern in (*patterns, tests.passed if tests else "", tests.failed if tests else ""):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no pattern ({error})") from error
        return self

    def run_command(
        self, toolchain: Toolchain, file: str, *, tests: str = "", sources: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """The command that runs `file`, a path in the working folder; see `fill`."""
        return self.fill(self.run, toolchain, file, tests=tests, sources=sources)

    def check_command(self, toolchain: Toolchain, file: str) -> tuple[str, ...]:
        """The command that only checks the syntax of `file`; empty where there is none."""
        return self.fill(self.check, toolchain, file)

    def fill(
        self,
        command: tuple[str, ...],
        toolchain: Toolchain,
        file: str,
        *,
        tests: str = "",
        sources: Iterable[str] = (),
    ) -> tuple[str, ...]:
        """Fill in a command's places: a word that is one, or begins with `{home}`.

        Args:
            command: With `{executable}`, `{home}`, `{also}`, `{file}`, `{tests}`, `{sources}`.
            toolchain: What was found.
            file: The main file.
            tests: The file of tests.
            sources: Takes as many words as there are.
        """
        places = {
            "{executable}": (toolchain.executable,),
            "{also}": (toolchain.also,),
            "{file}": (file,),
            "{tests}": (tests,),
            "{sources}": tuple(sources),
        }
        words: list[str] = []
        for word in command:
            words += places.get(word) or (word.replace("{home}", toolchain.home),)
        return tuple(words)

    def sources_among(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The files that are compiled together, those with tests left out."""
        endings = self.compile.sources if self.compile else ()
        tests = self.tests.names if self.tests else ()
        return tuple(
            path
            for path in paths
            if path.endswith(endings or ("",)) and not (tests and path.endswith(tests))
        )

    def ran_out_of_memory(self, stderr: str) -> bool:
        """Whether `stderr` of a program that failed speaks of memory running out."""
        return any(re.search(pattern, stderr, re.MULTILINE) for pattern in self.out_of_memory)

    def missing_in(self, stderr: str) -> tuple[str, ...]:
        """Modules or commands that `stderr` says were not found, in order, each once."""
        found = (
            match.group(1)
            for pattern in self.missing
            for match in re.finditer(pattern, stderr, re.MULTILINE)
        )
        return tuple(dict.fromkeys(found))


def add_languages(folder: Path) -> tuple[str, ...]:
    """Let this process run the languages of a folder of TOML files as well; gives their names.

    A file of the name of one of Assay's own languages replaces it.

    Raises:
        BadInput: the folder or a file cannot be read, or says something that cannot be used.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
        texts = {path: read_regular_file(path, FILE_LIMIT).decode() for path in paths}
    except (OSError, UnreadableFile, UnicodeDecodeError) as error:
        raise BadInput(f"The languages in {folder} cannot be read ({error}).") from error
    added = []
    for path, text in texts.items():
        try:
            language = _read(path.stem, tomllib.loads(text))
        except (tomllib.TOMLDecodeError, ValidationError) as error:
            raise BadInput(f"The language in {path} cannot be used: {_explain(error)}.") from error
        known = language.names
        if known is None and names.find_language(language.name) is None:
            raise BadInput(
                f"The language in {path} is new, so it needs a table [names] with `extensions`."
            )
        if known is not None:
            names.add_language(names.Language(name=language.name, **known.model_dump()))
        _LANGUAGES[language.name] = language
        added.append(language.name)
    return tuple(added)


def _explain(error: Exception) -> str:
    if isinstance(error, ValidationError):
        wrong = error.errors()[0]
        where = ".".join(str(part) for part in wrong["loc"])
        return f"{where}: {say_problem(wrong)}" if where else say_problem(wrong)
    return str(error)


def _read(name: str, table: Mapping[str, Any]) -> Language:
    return Language(name=name, **table)


def _own() -> dict[str, Language]:
    folder = resources.files("assay.sandbox") / "languages"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    tables = {file.name.removesuffix(".toml"): file.read_text("utf-8") for file in files}
    return {name: _read(name, tomllib.loads(text)) for name, text in tables.items()}


_LANGUAGES = _own()
"""All that this process can run; those of a person's are added as it begins."""


def language_names() -> tuple[str, ...]:
    """The languages that can be run."""
    return tuple(_LANGUAGES)


def get_language(name: str) -> Language:
    """The language of this name or alias.

    Raises:
        UnknownName: it is none of those that can be run; the message lists them.
    """
    language = _runnable(names.find_language(name))
    if language is None:
        known = ", ".join(language_names())
        raise UnknownName(f"Assay cannot run '{name}'. It can run: {known}.")
    return language


def language_of_path(path: str) -> Language | None:
    """The language that a file's extension stands for; None where it is none that can be run."""
    return _runnable(names.language_of_path(path))


def _runnable(language: names.Language | None) -> Language | None:
    return _LANGUAGES.get(language.name) if language else None
