"""Examples: `call == value`, taken apart so that only the call enters the sandbox."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from assay.checks.literals import NotLiteral, evaluate_literal
from assay.checks.requested import find_examples
from assay.checks.syntax import BUILTINS, has_call, is_always_true, parse_expression
from assay.errors import BadInput

MAX_EXAMPLE = 10_000


class Relation(StrEnum):
    """What has to hold between the call's result and the expected value."""

    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    IS = "is"
    IS_NOT = "is not"
    IN = "in"
    NOT_IN = "not in"
    CONTAINS = "contains"
    LACKS = "lacks"
    TRUE = "true"
    FALSE = "false"
    NEAR = "near"
    """The expected value is a pair: the number, and how far off the result may be."""
    NEARER = "nearer"
    """The same, but the result has to be less far off than that."""
    RAISES = "raises"
    """The expected value is a tuple of names of exception classes."""


@dataclass(frozen=True)
class Comparison:
    """One call whose result is compared outside the sandbox."""

    text: str
    """As the user wrote it."""
    call: str
    """Source of the side that runs inside."""
    relation: Relation
    expected: object = None

    @property
    def wanted(self) -> str:
        """What is expected, for a person."""
        match self.relation, self.expected:
            case Relation.TRUE | Relation.FALSE, _:
                return f"something {self.relation}"
            case Relation.NEAR, (value, tolerance):
                return f"{value!r} ± {tolerance!r}"
            case Relation.NEARER, (value, tolerance):
                return f"less than {tolerance!r} from {value!r}"
            case Relation.RAISES, tuple() as names:
                return f"raises {' or '.join(map(str, names))}"
            case Relation.EQUAL, value:
                return repr(value)
        return f"{self.relation} {self.expected!r}"


@dataclass(frozen=True)
class Example:
    """An example of what is wanted."""

    text: str
    comparison: Comparison | None
    """None where the example can only be evaluated in the solution's own process."""


def parse_example(text: str) -> Example:
    """Read one example as the user wrote it: `f(1, 2) == 3`.

    Raises:
        BadInput: it is no expression, calls nothing, or is true whatever the code does.
    """
    source = text.strip().removeprefix("assert ").strip()
    if len(source) > MAX_EXAMPLE:
        raise BadInput(
            f"An example of {len(source):,} characters is too long (at most {MAX_EXAMPLE:,}); "
            "put it into a test file and give that with --tests."
        )
    node = parse_expression(source)
    if node is None:
        found = find_examples(source)
        if len(found) != 1:
            raise BadInput(
                f"The example {source[:200]!r} is not a Python expression; "
                "write a call and what it should give, as in: f(1, 2) == 3"
            )
        source = found[0]
        node = ast.parse(source, mode="eval").body
    if not has_call(node):
        raise BadInput(
            f"The example {source[:200]!r} calls nothing; "
            "write a call and what it should give, as in: f(1, 2) == 3"
        )
    if is_always_true(node):
        raise BadInput(
            f"The example {source[:200]!r} is true whatever the code does; "
            "write one comparison, as in: f(1, 2) == 3, and give each its own --example."
        )
    # Without the comment or semicolon that may come after it.
    source = ast.get_source_segment(source, node) or source
    return Example(text=source, comparison=read_comparison(source, node))


def read_comparison(
    text: str, node: ast.expr, names: Mapping[str, object] | None = None
) -> Comparison | None:
    """`node` as a comparison that can be made outside; None where it cannot.

    Args:
        text: what the user wrote, for messages.
        node: the expression.
        names: values of names that stand for literals.
    """
    names = names or {}
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if _answers_itself(operand):
            return _truth(text, operand, Relation.FALSE)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            near = _read_near(text, left, op, right, names)
            return near or _read_sides(text, left, op, right, names)
        case _ if _answers_itself(node):
            return _truth(text, node, Relation.TRUE)
    return None


_RELATIONS: dict[type[ast.cmpop], tuple[Relation, Relation]] = {
    ast.Eq: (Relation.EQUAL, Relation.EQUAL),
    ast.NotEq: (Relation.NOT_EQUAL, Relation.NOT_EQUAL),
    ast.Lt: (Relation.LESS, Relation.GREATER),
    ast.LtE: (Relation.LESS_EQUAL, Relation.GREATER_EQUAL),
    ast.Gt: (Relation.GREATER, Relation.LESS),
    ast.GtE: (Relation.GREATER_EQUAL, Relation.LESS_EQUAL),
    ast.Is: (Relation.IS, Relation.IS),
    ast.IsNot: (Relation.IS_NOT, Relation.IS_NOT),
    ast.In: (Relation.IN, Relation.CONTAINS),
    ast.NotIn: (Relation.NOT_IN, Relation.LACKS),
}
"""The relation when the call stands left, and when it stands right."""


def _read_sides(
    text: str, left: ast.expr, op: ast.cmpop, right: ast.expr, names: Mapping[str, object]
) -> Comparison | None:
    straight, mirrored = _RELATIONS[type(op)]
    for call, value, relation in ((left, right, straight), (right, left, mirrored)):
        if not _is_call_side(call):
            continue
        try:
            expected = evaluate_literal(value, names)
        except NotLiteral:
            continue
        if isinstance(expected, bool) and not _answers_itself(call):
            return None
        singleton = expected is None or isinstance(expected, bool)
        if relation in {Relation.IS, Relation.IS_NOT} and not singleton:
            return None
        return Comparison(text, ast.unparse(call), relation, expected)
    return None


def _read_near(
    text: str, left: ast.expr, op: ast.cmpop, right: ast.expr, names: Mapping[str, object]
) -> Comparison | None:
    """`abs(call - value) < tolerance`."""
    match left, op:
        case (
            ast.Call(
                func=ast.Name(id="abs"), args=[ast.BinOp(op=ast.Sub(), left=call, right=value)]
            ),
            ast.Lt() | ast.LtE(),
        ) if _is_call_side(call):
            try:
                pair = (evaluate_literal(value, names), evaluate_literal(right, names))
            except NotLiteral:
                return None
            if all(isinstance(part, int | float) for part in pair):
                relation = Relation.NEARER if isinstance(op, ast.Lt) else Relation.NEAR
                return Comparison(text, ast.unparse(call), relation, pair)
    return None


def _truth(text: str, node: ast.expr, relation: Relation) -> Comparison:
    return Comparison(text, ast.unparse(node), relation)


def _is_call_side(node: ast.expr) -> bool:
    return has_call(node) and not _compares_inside(node)


def _answers_itself(node: ast.expr) -> bool:
    """Whether a yes or no is the solution's own answer, as in `is_prime(7)`.

    In `math.isclose(f(1), 2)` and `f(1).issubset({2})` it is the outcome of a comparison that an
    object which says yes to everything would pass.
    """
    if not _is_call_side(node):
        return False
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Attribute | ast.Subscript)
    if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        return True
    arguments = [*node.args, *(word.value for word in node.keywords)]
    return _is_callee(node.func) and not any(has_call(one) for one in arguments)


def _is_callee(node: ast.expr) -> bool:
    """A function's name, or a method of an object that is made right here: `Stack().is_empty`."""
    made = node.value if isinstance(node, ast.Attribute) else None
    while isinstance(made, ast.Call | ast.Attribute):
        made = made.func if isinstance(made, ast.Call) else made.value
    return not has_call(node) or (isinstance(made, ast.Name) and made.id[:1].isupper())


def _compares_inside(node: ast.expr) -> bool:
    """Whether the result could hang on an `==` or `-` of the solution's own objects.

    `any(x == 3 for x in f())` would be true for an object that equals everything, and so would
    `f().count(3) == 1`. What a function of the solution does with a lambda is its own affair.
    """
    own = isinstance(node, ast.Call) and not (
        isinstance(node.func, ast.Name) and node.func.id in BUILTINS
    )
    for part in _walk(node, into_lambdas=not own):
        if isinstance(part, ast.Compare | ast.BoolOp | ast.IfExp | ast.NamedExpr | ast.Await):
            return True
        if isinstance(part, ast.BinOp | ast.UnaryOp) and has_call(part):
            return True
        if isinstance(part, ast.Call) and _is_comparing_method(part):
            return True
    return False


def _is_comparing_method(node: ast.Call) -> bool:
    """Whether it is a method that compares with `==`, on or with something that was called."""
    if not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    if name not in {"count", "index"} and not (name.startswith("__") and name.endswith("__")):
        return False
    return not _is_callee(node.func) or any(map(has_call, node.args))


def _walk(node: ast.AST, *, into_lambdas: bool) -> Iterator[ast.AST]:
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        if into_lambdas or not isinstance(part, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(part))
