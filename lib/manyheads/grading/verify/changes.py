"""The single changes that make mutants: each looks at a node and offers functions that alter it in place."""

import ast
from collections.abc import Callable, Iterator
from typing import Any

from manyheads import reference

#: What an answer may use beside NumPy.
GIVEN = {"reference": reference}

Change = Iterator[Callable[[], None]]

_OPERATORS = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult, ast.Mod],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
}
_COMPARISONS = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
}
#: A function of NumPy's, and what is easily written for it.
_CALLS = {
    "max": ["min", "sum"], "min": ["max"], "sum": ["mean", "max"], "mean": ["sum"], "any": ["all"], "all": ["any"],
    "maximum": ["minimum"], "minimum": ["maximum"], "repeat": ["tile"], "tile": ["repeat"], "tril": ["triu"],
    "triu": ["tril"], "zeros": ["ones"], "ones": ["zeros"], "zeros_like": ["ones_like"], "ones_like": ["zeros_like"],
    "exp": ["exp2", "expm1"], "log": ["log2"], "log2": ["log"], "sqrt": ["square"], "cumsum": ["cumprod"],
    "amax": ["amin"], "argmax": ["argmin"], "logical_and": ["logical_or"], "logical_or": ["logical_and"],
    "floor": ["ceil"], "ceil": ["floor"],
}  # fmt: skip


def operators(node: ast.AST, tree: ast.AST) -> Change:
    """``a + b`` to ``a - b``; the operands of ``@``, ``-`` and ``/`` exchanged."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        for other in _OPERATORS.get(type(node.op), []):
            yield lambda other=other: setattr(node, "op", other())
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.MatMult, ast.Sub, ast.Div)):
        yield lambda: _exchange(node, "left", "right")
    if isinstance(node, ast.BoolOp):
        yield lambda: setattr(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())


def comparisons(node: ast.AST, tree: ast.AST) -> Change:
    """``<`` to ``<=`` and to ``>``."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in _COMPARISONS.get(type(node.ops[0]), []):
            yield lambda other=other: setattr(node, "ops", [other()])


def constants(node: ast.AST, tree: ast.AST) -> Change:
    """A number one larger and one smaller, a truth turned, two letters of an einsum exchanged."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value: Any = node.operand.value
        if isinstance(value, int):
            yield lambda: _become(node, ast.Constant(1 - value))
            if not getattr(node, "free", False):
                yield lambda: setattr(node, "operand", ast.Constant(value + 1))
        elif isinstance(value, float):  # often a large number for minus infinity: only the sign matters
            yield lambda: _become(node, ast.Constant(value))
    if not isinstance(node, ast.Constant) or getattr(node, "negated", False):
        return
    value = node.value
    if isinstance(value, bool):
        yield lambda: setattr(node, "value", not value)
    elif isinstance(value, int):
        yield lambda: setattr(node, "value", value + 1)
        yield lambda: setattr(node, "value", value - 1)
    elif isinstance(value, float):
        yield lambda: setattr(node, "value", value * 2 or 1.0)
        yield lambda: setattr(node, "value", -value)
    elif isinstance(value, str) and "->" in value:
        into, out = value.split("->")
        for i in range(len(out) - 1):
            if out[i].isalpha() and out[i + 1].isalpha():
                text = f"{into}->{out[:i]}{out[i + 1]}{out[i]}{out[i + 2 :]}"
                yield lambda text=text: setattr(node, "value", text)


def signs(node: ast.AST, tree: ast.AST) -> Change:
    """A minus, a ``not`` or a ``~`` taken away."""
    if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield lambda: _become(node, node.operand)


def calls(node: ast.AST, tree: ast.AST) -> Change:
    """Another function; arguments exchanged or left out; ``astype`` and ``copy`` forgotten; a shorter loop."""
    if not isinstance(node, ast.Call):
        return
    function = node.func
    if isinstance(function, ast.Attribute):
        for other in _CALLS.get(function.attr, []):
            yield lambda other=other: setattr(function, "attr", other)
        if function.attr in ("astype", "copy", "transpose", "swapaxes"):
            yield lambda: _become(node, function.value)
    if isinstance(function, ast.Name) and function.id == "range" and len(node.args) == 1:  # a turn too few
        count = node.args[0]
        yield lambda: node.args.__setitem__(0, ast.BinOp(count, ast.Sub(), ast.Constant(1)))
        yield lambda: node.args.insert(0, ast.Constant(1))
    names = isinstance(function, ast.Attribute) and function.attr == "swapaxes" and len(node.args) == 2
    for i in range(len(node.args) - 1):
        starred = any(isinstance(node.args[j], ast.Starred) for j in (i, i + 1))
        if not starred and not names and ast.dump(node.args[i]) != ast.dump(node.args[i + 1]):
            yield lambda i=i: _exchange_items(node.args, i)
    for keyword in node.keywords:
        if keyword.arg not in ("dtype", "optimize"):
            yield lambda keyword=keyword: node.keywords.remove(keyword)


def slices(node: ast.AST, tree: ast.AST) -> Change:
    """A bound left out, or one farther and one less far."""
    if not isinstance(node, ast.Slice):
        return
    for side in ("lower", "upper"):
        bound = getattr(node, side)
        if bound is None:
            continue
        yield lambda side=side: setattr(node, side, None)
        if not isinstance(bound, ast.Constant):
            for operator in (ast.Add, ast.Sub):
                moved = ast.BinOp(bound, operator(), ast.Constant(1))
                yield lambda side=side, moved=moved: setattr(node, side, moved)


def tuples(node: ast.AST, tree: ast.AST) -> Change:
    """Two neighbours in a tuple that is made, as of sizes for a reshape, exchanged."""
    if isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
        for i in range(len(node.elts) - 1):
            plain = not any(isinstance(node.elts[j], (ast.Starred, ast.Slice)) for j in (i, i + 1))
            if plain and ast.dump(node.elts[i]) != ast.dump(node.elts[i + 1]):
                yield lambda i=i: _exchange_items(node.elts, i)


def parameters(node: ast.AST, tree: ast.AST) -> Change:
    """One parameter read in the place of the next."""
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return
    function = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)), None)
    names = [a.arg for a in function.args.args] if function else []
    if node.id in names and len(names) > 1:
        after = names[(names.index(node.id) + 1) % len(names)]
        yield lambda: setattr(node, "id", after)


def statements(node: ast.AST, tree: ast.AST) -> Change:
    """A statement left out: writing into an array, adding to a name, a branch not taken."""
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if not isinstance(body, list):
            continue
        for i, statement in enumerate(body):
            subscripted = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)
            if subscripted or isinstance(statement, (ast.AugAssign, ast.Expr)):
                yield lambda body=body, i=i: body.__setitem__(i, ast.Pass())
    if isinstance(node, (ast.If, ast.IfExp)):
        yield lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))


def mark(tree: ast.AST) -> None:
    """Note what a node cannot know of itself: a number behind a minus; a -1 that stands for a size left open.

    NumPy's reshape takes every negative number for that, so -2 would be no change.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            node.operand.negated = True  # type: ignore[attr-defined]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            for inner in ast.walk(node):
                if isinstance(inner, ast.UnaryOp):
                    inner.free = True  # type: ignore[attr-defined]


CHANGES = (operators, comparisons, constants, signs, calls, slices, tuples, parameters, statements)


def _exchange(node, one: str, other: str) -> None:
    first, second = getattr(node, one), getattr(node, other)
    setattr(node, one, second)
    setattr(node, other, first)


def _exchange_items(items: list, i: int) -> None:
    items[i], items[i + 1] = items[i + 1], items[i]


def _become(node: ast.AST, other: ast.AST) -> None:
    """Turn a node into another one, in place; its parent need not be known."""
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)
