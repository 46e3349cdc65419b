"""Languages that can be run, read from one TOML file each; their names are the domain's."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources

from pydantic import Field

from assay.domain import languages as names
from assay.domain.data import Data
from assay.domain.limits import RunLimits
from assay.errors import UnknownName
from assay.sandbox.protocol import Toolchain


class Language(Data):
    """How programs of one language are found, checked and run."""

    name: str
    title: str
    """As people write it: `JavaScript`."""
    executables: tuple[str, ...]
    """Names of the interpreter on PATH, best first."""
    probe: tuple[str, ...]
    """Arguments that make it print its own path and, on the second line, its version."""
    run: tuple[str, ...]
    """Command with `{executable}` and `{file}`."""
    check: tuple[str, ...] = ()
    """Like `run`, but only reads the file; exit status 0 means that its syntax is right."""
    limits: RunLimits = RunLimits()
    env: dict[str, str] = Field(default_factory=dict)
    """Set in every run."""
    out_of_memory: tuple[str, ...] = ()
    """Patterns for stderr (multi-line) of a program that ended because memory ran out."""
    missing: tuple[str, ...] = ()
    """Patterns for stderr (multi-line) whose first group is a module or command not found."""
    install: str
    """How a person gets the toolchain."""

    def run_command(self, toolchain: Toolchain, file: str) -> tuple[str, ...]:
        """The command that runs `file`, a path in the working folder."""
        return _fill(self.run, toolchain, file)

    def check_command(self, toolchain: Toolchain, file: str) -> tuple[str, ...]:
        """The command that only checks the syntax of `file`; empty where there is none."""
        return _fill(self.check, toolchain, file)

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


def _fill(command: tuple[str, ...], toolchain: Toolchain, file: str) -> tuple[str, ...]:
    places = {"{executable}": toolchain.executable, "{file}": file}
    return tuple(places.get(word, word) for word in command)


@cache
def _languages() -> dict[str, Language]:
    folder = resources.files("assay.sandbox") / "languages"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    tables = {file.name.removesuffix(".toml"): file.read_text("utf-8") for file in files}
    return {name: Language(name=name, **tomllib.loads(text)) for name, text in tables.items()}


def language_names() -> tuple[str, ...]:
    """The languages that can be run."""
    return tuple(_languages())


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
    return _languages().get(language.name) if language else None
