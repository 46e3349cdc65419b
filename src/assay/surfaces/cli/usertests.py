"""The user's tests: a file, or a folder of `NAME.in` and `NAME.out` as contests have them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from assay.domain.limits import MIB
from assay.domain.task import TestFile
from assay.errors import BadInput
from assay.surfaces.cli.inputs import MAX_TEXT_BYTES, read_text


def read_tests(paths: Sequence[Path]) -> tuple[TestFile, ...]:
    """The user's tests: a file for each path.

    Raises:
        BadInput: they cannot be read, two have one name, or a folder holds no whole pair of files.
    """
    files = tuple(_read(path) for path in paths)
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"Two test files are named {name}. Rename one, or give it once.")
    return files


def _read(path: Path) -> TestFile:
    if path.is_dir():
        return _read_folder(path)
    return TestFile(name=path.name, source=read_text(path, "test file"))


def _read_folder(folder: Path) -> TestFile:
    """The folder's pairs as a file of cases."""
    try:
        inputs = sorted(folder.glob("*.in"), key=lambda path: (len(path.stem), path.stem))
    except OSError as error:
        raise BadInput(f"The folder {folder} cannot be read: {error.strerror}.") from error
    if not inputs:
        raise BadInput(
            f"The folder {folder} holds no tests; put pairs of files into it, such as 1.in with "
            "what the program reads and 1.out with what it has to print."
        )
    cases = []
    for path in inputs:
        output = path.with_suffix(".out")
        if not output.exists():
            raise BadInput(f"There is {path}, and no {output} with what has to be printed.")
        given, expected = read_text(path, "test file"), read_text(output, "test file")
        texts = {"name": path.stem, "stdin": given, "stdout": expected}
        cases.append("\n".join(["[[case]]", *(f"{k} = {_quoted(v)}" for k, v in texts.items())]))
    source = "\n\n".join(cases) + "\n"
    if len(source) > MAX_TEXT_BYTES:
        raise BadInput(f"The tests in {folder} have more than {MAX_TEXT_BYTES // MIB} MiB.")
    return TestFile(name=f"{folder.resolve().name}.toml", source=source)


def _quoted(text: str) -> str:
    """A TOML string, which is a JSON string but for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
