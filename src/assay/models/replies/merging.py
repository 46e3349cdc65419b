"""Several blocks of one program made one: a later block corrects or continues an earlier one."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.models.replies.python import Parser, join_programs

_DEFINITION = re.compile(
    r"^(?:(?:export|default|pub|public|private|static|final|abstract|async|inline|virtual)[ \t]+)*"
    r"(?:function\*?|func|fn|class|struct|enum|interface|trait|def|sub|module|type|const|let|void"
    r"|int|double|float|char|bool|auto|fun)[ \t]+(?P<name>[A-Za-z_$][\w$]*)"
    r"|^(?P<shell>[A-Za-z_]\w*)[ \t]*\(\)[ \t]*\{",
    re.MULTILINE,
)
_WHOLE_AGAIN = re.compile(
    r"\b(?:(?:complete|full|final|whole|entire)\b.{0,40}\b(?:code|program|script|version|solution"
    r"|implementation|example|file)|all together|improved|corrected|fixed|updated|better"
    r"|simplified|optimi[sz]ed|refactored|revised|rewritten)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Part:
    """One block of a program, with the line of prose that leads to it."""

    code: str
    lead: str = ""


def merge(parts: Sequence[Part], language: str | None, parser: Parser) -> str:
    """One program of all parts, in their order."""
    merged = ""
    seen: set[str] = set()
    for part in parts:
        if part.code.strip() in seen:
            continue
        seen.add(part.code.strip())
        if not merged.strip():
            merged = part.code
        elif language == "python":
            merged = _merge_python(merged, part, parser)
        else:
            merged = _merge_text(merged, part)
    return merged


def _merge_text(earlier: str, part: Part) -> str:
    old, new = _names(earlier), _names(part.code)
    if old & new or (old <= new and _WHOLE_AGAIN.search(part.lead)):
        return part.code
    return f"{earlier}\n\n{part.code}"


def _names(code: str) -> set[str]:
    return {found["name"] or found["shell"] for found in _DEFINITION.finditer(code)}


def _merge_python(earlier: str, part: Part, parser: Parser) -> str:
    first, second = parser.parse(earlier), parser.parse(part.code)
    if first is None or second is None:
        return _merge_text(earlier, part)
    old, new = _definitions(first), _definitions(second)
    if old.keys() <= new.keys() and (old or _WHOLE_AGAIN.search(part.lead)):
        return join_programs(_imports_needed(first, second), part.code, parser)
    replaced = [old[name] for name in old.keys() & new.keys()]
    if _entry(second):
        replaced += _entry(first)
    return join_programs(_without(earlier, replaced), part.code, parser)


def _definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name: node for node in tree.body if isinstance(node, kinds)}


def _entry(tree: ast.Module) -> list[ast.stmt]:
    """The `if __name__ == "__main__":` statements."""
    return [
        node
        for node in tree.body
        if isinstance(node, ast.If) and "__name__" in ast.dump(node.test, annotate_fields=False)
    ]


def _imports_needed(first: ast.Module, second: ast.Module) -> str:
    """The imports of a replaced block that its replacement uses and left out."""
    used = {node.id for node in ast.walk(second) if isinstance(node, ast.Name)}
    bound = {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(second)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    needed = []
    for node in first.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            if names & (used - bound):
                needed.append(ast.unparse(node))
    return "\n".join(needed)


def _without(source: str, nodes: Sequence[ast.stmt]) -> str:
    lines: list[str | None] = [*source.split("\n")]
    for node in nodes:
        decorators = getattr(node, "decorator_list", [])
        start = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        end = node.end_lineno or node.lineno
        lines[start:end] = [None] * (end - start)
    return "\n".join(line for line in lines if line is not None)
