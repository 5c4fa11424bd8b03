"""Mechanical mutants of a right answer: one operator, index, axis, constant or call changed in its syntax tree."""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from manyheads.grading.verify import changes


@dataclass(frozen=True)
class Mutant:
    """One changed answer."""

    of: str  #: the technique that was changed: "solution", "einsum"
    change: str  #: the line that differs, before and after: "y = x @ w  =>  y = w @ x"
    source: str

    @property
    def name(self) -> str:
        """How a mutant is told, and an equivalent one listed: ``solution: y = x @ w  =>  y = w @ x``."""
        return f"{self.of}: {self.change}"

    def function(self, name: str) -> Callable:
        """The mutant itself."""
        written: dict = {"np": np, **changes.GIVEN}
        exec(compile(self.source, f"<mutant of {self.of}>", "exec"), written)
        return written[name]


def mutants(source: str, of: str) -> list[Mutant]:
    """Every mutant of one function's text that reads differently from it and from the others."""
    tree = ast.parse(source)
    _drop_docstring(tree)
    changes.mark(tree)
    original = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for place, node in enumerate(ast.walk(tree)):
        for number, _ in enumerate(_changed(node, tree)):
            changed = copy.deepcopy(tree)
            target = next(n for i, n in enumerate(ast.walk(changed)) if i == place)
            list(_changed(target, changed))[number]()
            ast.fix_missing_locations(changed)
            text = ast.unparse(changed)
            if text != original and text not in found:
                found[text] = Mutant(of, _difference(original, text), text)
    return list(found.values())


def _changed(node: ast.AST, tree: ast.AST) -> Iterator[Callable[[], None]]:
    """What can be done to a node, each as a function that does it in place."""
    for change in changes.CHANGES:
        yield from change(node, tree)


def _drop_docstring(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None and len(node.body) > 1:
            node.body = node.body[1:]


def _difference(before: str, after: str) -> str:
    """The first line that differs, before and after."""
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    was, became = next((one, other) for one, other in pairs if one != other)
    return f"{was.strip()}  =>  {became.strip()}"
