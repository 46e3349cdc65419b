"""Examples that stand in the request's own text.

Only the unmistakable forms count: `f(1) == 2`, `f(1) -> 2`, `f(1) returns 2`,
`f(1) should return 2`, and `>>> f(1)` with the value on the next line. An example that was not
meant would condemn correct code, so in doubt there is none. Each line is read once, from left to
right, so hostile text costs linear time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from assay.checks.syntax import BUILTINS, dotted_name, parse_expression

MAX_TEXT = 200_000
"""Characters that are looked at; what comes after them is hardly the request itself."""
MAX_LINE = 2_000
MAX_FOUND = 20

_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\(")
_CONNECTOR = re.compile(
    r"`?\s*(?:==|->|=>|→|returns|(?:should|must) return|should be|should equal)\s*`?",
    re.IGNORECASE,
)
_SIMPLE = re.compile(r"-?(?:\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?|None|True|False)(?!\w)")
_OPENING = re.compile(r"(?:set|frozenset|Decimal|Fraction|date|datetime|float)\(|[\[({]|b?['\"]")
_AFTER = re.compile(r"`?\s*(?:#.*)?$|`?\)?[.,;:!)]*(?:\s*$|\s+(?=and\b|`?[A-Za-z_]\w*\())")
_DOUBT = re.compile(
    r"\b(?:not|never|wrong|wrongly|bug|instead|currently|but|fails?|incorrect|incorrectly|unlike|"
    r"except|if|when|unless|suppose|while|return|elif|lambda|def|class|until)\b|n't\b|[=+*/%<&|]\s*$",
    re.IGNORECASE,
)
_CONSTRUCTORS = frozenset(
    {"set", "frozenset", "float", "complex", "range", "Decimal", "Fraction", "date", "datetime"}
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def find_examples(instructions: str) -> tuple[str, ...]:
    """Examples in the request, each as `call == literal`, in their order, at most `MAX_FOUND`."""
    found: dict[str, str | None] = {}
    for call, value in _pairs(instructions):
        known = found.setdefault(call, value)
        if known != value:
            found[call] = None  # two different values for one call: neither can be trusted
        if len(found) >= MAX_FOUND:
            break
    return tuple(f"{call} == {value}" for call, value in found.items() if value is not None)


def _pairs(instructions: str) -> Iterator[tuple[str, str]]:
    lines = instructions[:MAX_TEXT].splitlines()
    for number, line in enumerate(lines):
        if len(line) > MAX_LINE:
            continue
        text = line.strip()
        if text.startswith(">>>"):
            following = lines[number + 1].strip() if number + 1 < len(lines) else ""
            pair = _read_session(text[3:].strip(), following)
            if pair:
                yield pair
        else:
            yield from _read_line(text)


def _read_session(entered: str, shown: str) -> tuple[str, str] | None:
    name = _CALL.match(entered)
    if name is None or name[1] in BUILTINS or _end_of(entered, name.end() - 1) != len(entered):
        return None
    if len(shown) > MAX_LINE or not _is_literal(shown) or not _is_plain_call(entered):
        return None
    return entered, shown


def _read_line(line: str) -> Iterator[tuple[str, str]]:
    if _DOUBT.search(_prose(line)):
        return
    position = 0
    while start := _CALL.search(line, position):
        end = _end_of(line, start.end() - 1)
        if end is None:
            return
        position = end
        connector = _CONNECTOR.match(line, end)
        if connector is None:
            continue
        stop = _end_of_value(line, connector.end())
        if stop is None:
            return
        call, value = line[start.start() : end], line[connector.end() : stop]
        position = stop
        if _DOUBT.search(line[: start.start()].rstrip()) or not _AFTER.match(line, stop):
            continue
        if start[1] not in BUILTINS and _is_plain_call(call) and _is_literal(value):
            yield call, value


def _prose(line: str) -> str:
    """The line without what stands in quotes or brackets."""
    return re.sub(
        r"'[^']*'|\"[^\"]*\"|\([^()]*\)|\[[^\[\]]*\]|==|->|=>|(?:should|must) return", " ", line
    )


def _end_of_value(line: str, start: int) -> int | None:
    simple = _SIMPLE.match(line, start)
    if simple:
        return simple.end()
    opening = _OPENING.match(line, start)
    if opening is None:
        return None
    return _end_of(line, opening.end() - 1)


def _end_of(line: str, start: int) -> int | None:
    """Where the bracket or quote at `start` is closed, None where it is not."""
    waiting: list[str] = []
    position = start
    while position < len(line):
        char = line[position]
        if char in _PAIRS:
            waiting.append(_PAIRS[char])
        elif char in "'\"":
            closing = _end_of_string(line, position)
            if closing is None:
                return None
            position = closing - 1
        elif char in ")]}" and (not waiting or waiting.pop() != char):
            return None
        position += 1
        if not waiting:
            return position
    return None


def _end_of_string(line: str, start: int) -> int | None:
    position = start + 1
    while position < len(line):
        if line[position] == "\\":
            position += 1
        elif line[position] == line[start]:
            return position + 1
        position += 1
    return None


def _is_literal(text: str) -> bool:
    node = parse_expression(text)
    return node is not None and _is_value(node)


def _is_value(node: ast.expr | None) -> bool:
    """Whether it is written out: constants, collections of them, `set()`, `date(2024, 1, 2)`."""
    match node:
        case ast.Constant():
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return all(map(_is_value, parts))
        case ast.Dict(keys=keys, values=values):
            return all(map(_is_value, (*keys, *values)))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _is_value(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _is_value(left) and _is_value(right)
        case ast.Call(func=function, args=args, keywords=words):
            given = (*args, *(word.value for word in words))
            return (dotted_name(function) or "") in _CONSTRUCTORS and all(map(_is_value, given))
    return False


def _is_plain_call(text: str) -> bool:
    """Whether it is a call of a name with nothing but literals as arguments."""
    node = parse_expression(text)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    values = [*node.args, *(word.value for word in node.keywords if word.arg)]
    if len(values) != len(node.args) + len(node.keywords):
        return False
    return all(_is_literal(ast.unparse(value)) for value in values)
