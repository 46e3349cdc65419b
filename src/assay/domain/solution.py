"""What a model answered."""

from __future__ import annotations

import hashlib

from assay.domain.data import Data


class SolutionFile(Data):
    """One file: its imports and its code are kept apart, `source` joins them."""

    path: str
    """Relative, with forward slashes, inside the working folder."""
    imports: str = ""
    code: str

    @property
    def source(self) -> str:
        """The text that is written and run; `from __future__` lines stay first."""
        if not self.imports.strip():
            return self.code.strip("\n") + "\n"
        future = [line for line in self.code.splitlines() if line.startswith("from __future__ ")]
        code = self.code
        if future:
            code = "\n".join(line for line in code.splitlines() if line not in future)
        head = "\n".join([*future, self.imports.strip("\n")])
        return f"{head}\n\n{code.strip(chr(10))}\n" if code.strip() else head + "\n"

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
        """The file that is run: the last one, as readers of a reply put the program last.

        Raises:
            IndexError: the solution is prose.
        """
        named = [f for f in self.files if f.path.rsplit("/", 1)[-1].split(".")[0] in _MAIN_NAMES]
        return (named or list(self.files))[-1]

    @property
    def sha256(self) -> str:
        """Hash over the paths and hashes of all files, in order of their paths."""
        lines = sorted(f"{file.sha256}  {file.path}\n" for file in self.files)
        return hashlib.sha256("".join(lines).encode()).hexdigest()


_MAIN_NAMES = {"main", "__main__", "index", "solution", "app"}
