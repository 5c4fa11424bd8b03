"""What can be deleted from Triton kernels, found in their syntax tree: however a mask is written, it is seen."""

import ast
from collections.abc import Iterator

#: Where `load_tile` has its mask.
_ROWS_WANTED = 3


def deleted(text: str) -> list[tuple[int, str, str]]:
    """Line number from 1, kind, and the line after the deletion, for each piece of each function under ``@triton.jit``.

    Examples
    --------
    >>> text = '''
    ... @triton.jit
    ... def kernel(x, n):
    ...     i = tl.arange(0, 8)
    ...     tl.store(x + i, 0.0, mask=i < n)
    ... '''
    >>> deleted(text)
    [(5, 'mask', '    tl.store(x + i, 0.0)')]
    """
    lines = text.split("\n")
    found = []
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef) and any("jit" in ast.unparse(one) for one in function.decorator_list):
            for node in ast.walk(function):
                for kind, piece, left in _pieces(node):
                    assert piece.lineno == piece.end_lineno, f"line {piece.lineno}: one piece, one line, please"
                    line = lines[piece.lineno - 1]
                    after = line[: piece.col_offset] + left + line[piece.end_col_offset :]
                    found.append((piece.lineno, kind, after))
    return sorted(found)


def _pieces(node: ast.AST) -> Iterator[tuple[str, ast.expr, str]]:
    """Kind, the expression that goes, and what stands in its place."""
    match node:
        case ast.Assign(value=ast.Compare() as compare):
            yield "mask", compare, _always(compare.left)
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            yield "mask", node, ast.unparse(left)
            yield "mask", node, ast.unparse(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if _factor(left, right):
            yield "rescale", node, ast.unparse(left)
        case ast.BinOp(left=left, op=ast.Div(), right=right) if "total" in ast.unparse(right):
            yield "rescale", node, ast.unparse(left)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            yield from _calls(node, ast.unparse(function), arguments, keywords)


def _calls(node: ast.Call, function: str, arguments: list, keywords: list) -> Iterator[tuple[str, ast.expr, str]]:
    written = [ast.unparse(argument) for argument in arguments]
    if function in ("tl.load", "tl.store") and any(keyword.arg == "mask" for keyword in keywords):
        others = [ast.unparse(keyword) for keyword in keywords if keyword.arg not in ("mask", "other")]
        yield "mask", node, f"{function}({', '.join([*written, *others])})"
    elif function == "tl.where":
        for fixed, kept in ((1, 2), (2, 1)):
            if _is_fixed(arguments[fixed]):
                yield "mask", node, written[kept]
    elif function in ("tl.minimum", "tl.maximum") and "tl.load" in written[0]:  # a length from memory, kept in bounds
        yield "mask", node, written[0]
    elif function == "load_tile" and written[_ROWS_WANTED] != "None":
        yield "mask", arguments[_ROWS_WANTED], "None"
    elif function == "seen_by_some":
        yield "mask", node, _always(arguments[0])


def _always(x: ast.expr) -> str:
    """True for every element of x."""
    return f"({ast.unparse(x)}) == ({ast.unparse(x)})"


def _factor(left: ast.expr, right: ast.expr) -> bool:
    """A rescaling of what is there so far, or of a part to be merged."""
    name = ast.unparse(right).removesuffix("[:, None]")
    return name == "rescale" or (name == "weights" and ast.unparse(left) == "part")


def _is_fixed(x: ast.expr) -> bool:
    """A number, minus infinity or zeros: what a mask puts in the place of what does not count."""
    return isinstance(x, ast.Constant) or ast.unparse(x).startswith(("float(", "tl.zeros"))
