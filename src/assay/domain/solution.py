"""What a model answered."""

from __future__ import annotations

import hashlib
import re

from assay.domain.data import Data
from assay.domain.languages import language_of_path


class SolutionFile(Data):
    """One file: its imports and its code are kept apart, `source` joins them."""

    path: str
    """Relative, with forward slashes, inside the working folder."""
    imports: str = ""
    """What comes first: `from __future__` lines, and a module's docstring before its imports."""
    code: str

    @property
    def source(self) -> str:
        """The text that is written and run: imports, blank lines as Python wants them, code."""
        if not self.imports.strip():
            return self.code if self.code.endswith("\n") else self.code + "\n"
        imports, code = self.imports.strip("\n"), self.code.strip("\n")
        if not code.strip():
            return imports + "\n"
        between = "\n\n\n" if code.startswith(_DEFINITIONS) else "\n\n"
        return f"{imports}{between}{code}\n"

    @property
    def sha256(self) -> str:
        """Hash of `source` as UTF-8."""
        return hashlib.sha256(self.source.encode()).hexdigest()


class Solution(Data):
    """A prefix in prose, a language and files; or prose alone when there are no files."""

    prefix: str = ""
    language: str | None = None
    files: tuple[SolutionFile, ...] = ()
    set_apart: str = ""
    """Calls and asserts that the model added beside the function it was asked for: not run."""

    @property
    def is_prose(self) -> bool:
        """Whether there is nothing to run."""
        return not self.files

    @property
    def main(self) -> SolutionFile:
        """The file that is run.

        Of the files in the solution's language, leaving tests out, it is the one with a main
        program's name, else the last, as readers of a reply put the program last.

        Raises:
            IndexError: the solution is prose.
        """
        own = [file for file in self.files if _language_of(file) == self.language]
        files = own or list(self.files)
        programs = [file for file in files if not is_test_path(file.path)] or files
        named = [file for file in programs if _stem(file) in _MAIN_NAMES]
        return (named or programs)[-1]

    @property
    def sha256(self) -> str:
        """Hash over the paths and hashes of all files, in order of their paths."""
        lines = sorted(f"{file.sha256}  {file.path}\n" for file in self.files)
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def is_test_path(path: str) -> bool:
    """Whether a file's name says that it holds tests."""
    return _TEST_NAME.search(path) is not None


_DEFINITIONS = ("def ", "async def ", "class ", "@")
_MAIN_NAMES = {"main", "__main__", "index", "solution", "app"}
_TEST_NAME = re.compile(r"(?:^|/)(?:tests?/|test_|conftest\.)|[._]test\.|\.spec\.", re.IGNORECASE)


def _stem(file: SolutionFile) -> str:
    return file.path.rsplit("/", 1)[-1].split(".")[0].lower()


def _language_of(file: SolutionFile) -> str | None:
    language = language_of_path(file.path)
    return language.name if language else None
