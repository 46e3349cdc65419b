"""How one node of a syntax tree can be changed so that good tests notice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

Change = Callable[[ast.AST], None]
"""Changes a node in place."""

_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
_SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


def changes_of(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """How one node can be changed, each in words."""
    yield from _other_operators(node)
    yield from _other_conditions(node)
    yield from _other_results(node)
    yield from _statements_left_out(node)


def _other_operators(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _ARITHMETIC:
            other = _ARITHMETIC[type(op)]
            yield f"{_sign(op)} becomes {_sign(other())}", _setting("op", other)
        case ast.Compare(ops=ops):
            for place, operator in enumerate(ops):
                for instead in _COMPARISONS[type(operator)]:
                    said = f"{_sign(operator)} becomes {_sign(instead())}"
                    yield said, _replacing("ops", place, instead)
        case ast.BoolOp(op=ast.And()):
            yield "and becomes or", _setting("op", ast.Or)
        case ast.BoolOp():
            yield "or becomes and", _setting("op", ast.And)
        case ast.UnaryOp(op=ast.USub()):
            yield "a minus is left out", _setting("op", ast.UAdd)


def _other_conditions(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.UnaryOp(op=ast.Not()):
            yield "a not is left out", _negate("operand")
        case ast.If() | ast.While() | ast.IfExp():
            yield "the condition is turned round", _negate("test")
        case ast.comprehension(ifs=[_, *_]):
            yield "a condition is left out", _without_condition


def _other_results(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.Constant(value=value):
            yield from _other_values(value)
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield "nothing is returned", _return_nothing
        case ast.Call(func=ast.Name(id=name)) if name in _SWAPPED_CALLS:
            yield f"{name} becomes {_SWAPPED_CALLS[name]}", _call_other
        case ast.Call(func=ast.Name(id="range"), args=[_, *_]):
            yield "the range ends one earlier", _end_earlier


def _statements_left_out(node: ast.AST) -> Iterator[tuple[str, Change]]:
    for field in ("body", "orelse"):
        for place, statement in enumerate(getattr(node, field, None) or ()):
            match statement:
                case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
                    said = f"`{_shortened(ast.unparse(statement))}` is left out"
                    yield said, _replacing(field, place, ast.Pass)
                case ast.Break():
                    yield "break becomes continue", _replacing(field, place, ast.Continue)


def _other_values(value: object) -> Iterator[tuple[str, Change]]:
    other: object
    match value:
        case bool():
            other = not value
        case int() | float():
            other = value + 1
        case str() if value:
            other = ""
        case str():
            other = "x"
        case _:
            return
    said = f"{_shortened(repr(value))} becomes {_shortened(repr(other))}"
    yield said, lambda node: setattr(node, "value", other)


def _setting(field: str, make: Callable[[], ast.AST]) -> Change:
    return lambda node: setattr(node, field, make())


def _replacing(field: str, place: int, make: Callable[[], ast.AST]) -> Change:
    def change(node: ast.AST) -> None:
        getattr(node, field)[place] = make()

    return change


def _negate(field: str) -> Change:
    def change(node: ast.AST) -> None:
        setattr(node, field, ast.UnaryOp(op=ast.Not(), operand=getattr(node, field)))

    return change


def _without_condition(node: ast.AST) -> None:
    getattr(node, "ifs").pop()  # noqa: B009 - the node is a comprehension


def _return_nothing(node: ast.AST) -> None:
    setattr(node, "value", ast.Constant(value=None))  # noqa: B010 - the node is a Return


def _call_other(node: ast.AST) -> None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        node.func.id = _SWAPPED_CALLS[node.func.id]


def _end_earlier(node: ast.AST) -> None:
    if isinstance(node, ast.Call):
        place = min(1, len(node.args) - 1)
        end = node.args[place]
        node.args[place] = ast.BinOp(left=end, op=ast.Sub(), right=ast.Constant(value=1))


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _sign(operator: ast.operator | ast.cmpop) -> str:
    """An operator as it is written."""
    a, b = ast.Name("a"), ast.Name("b")
    whole: ast.expr = (
        ast.BinOp(a, operator, b)
        if isinstance(operator, ast.operator)
        else ast.Compare(a, [operator], [b])
    )
    return ast.unparse(whole)[2:-2]


def _shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
