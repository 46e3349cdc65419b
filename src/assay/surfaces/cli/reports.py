"""Reports of a command for others to read: JUnit XML, and a page in Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import BadInput, OutputError

if TYPE_CHECKING:
    from assay.surfaces.cli.shown import Shown


@dataclass(frozen=True)
class Reports:
    """Where they go; None: it is not wanted."""

    junit: Path | None = None
    summary: Path | None = None

    def check(self) -> None:
        """Find out before anything is spent whether they can be written.

        Raises:
            BadInput: one cannot.
        """
        for flag, path in (("--junit", self.junit), ("--summary", self.summary)):
            if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
                raise BadInput(
                    f"{flag} {path} cannot be written: name a file in a folder that is there."
                )

    def write(self, shown: Shown) -> None:
        """Write them; a page that is there already is added to, as steps of a job share one.

        Raises:
            OutputError: one cannot be written.
        """
        from assay.files import write_file

        try:
            if self.junit is not None:
                from assay.surfaces.cli.junit import junit_xml

                write_file(self.junit, junit_xml(shown))
            if self.summary is not None:
                from assay.surfaces.cli.summary import LIMIT_BYTES, summary_markdown

                there = self.summary.stat().st_size if self.summary.exists() else 0
                page = summary_markdown(shown, max(0, LIMIT_BYTES - there))
                with self.summary.open("a", encoding="utf-8") as file:
                    file.write(page)
        except OSError as error:
            raise OutputError(
                f"{error.filename or 'A report'} cannot be written ({error.strerror}). Name "
                "another file with --junit or --summary."
            ) from error

    def write_failure(self, message: str) -> None:
        """Write that the command came to nothing.

        Raises:
            OutputError: they cannot be written.
        """
        if self.junit is not None or self.summary is not None:
            from assay.surfaces.cli.shown import Shown

            self.write(Shown.of_failure(message))
