"""Inside the sandbox: compiles each file and makes its top-level imports, one after the other.

Reads `imports.json` beside it: the paths of the files, in the working folder.
Sends one message for each file that does not compile and for each import statement.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

sys.dont_write_bytecode = True
_HERE = os.path.dirname(os.path.abspath(__file__))

from assay_tests import reports  # noqa: E402 (found beside this file)


def main() -> None:
    """Report on all files, then say that this was all."""
    reporter = reports.Reporter()
    with open(os.path.join(_HERE, "imports.json"), encoding="utf-8") as file:
        paths: list[str] = json.load(file)["files"]
    sys.path[0] = os.getcwd()
    for path in paths:
        for message in _check(path):
            reporter.send(**message)
    reporter.send(end=True)
    # A module may have started threads that never end; all that was asked for is known.
    reports.leave()


def _check(path: str) -> Iterator[dict[str, Any]]:
    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source, path)
        compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        yield {"file": path, "line": error.lineno or 0, "syntax": str(error.msg)}
        return
    except (ValueError, RecursionError, MemoryError) as error:
        yield {"file": path, "line": 0, "syntax": str(error)}
        return
    for node in tree.body:
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not is_future:
            yield _import(path, node)


def _import(path: str, node: ast.stmt) -> dict[str, Any]:
    module = ast.Module(body=[node], type_ignores=[])
    package = path.rpartition("/")[0].replace("/", ".")
    names = {"__name__": "__assay_imports__", "__package__": package, "__file__": path}
    about: dict[str, Any] = {"file": path, "line": node.lineno}
    try:
        exec(compile(module, path, "exec"), names)  # noqa: S102 (the import itself)
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        about["error"] = type(error).__name__
        about.update(reports.describe(error), message=reports.message_of(error))
    return about


main()
