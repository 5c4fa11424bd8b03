"""A handed-in Triton kernel as text: read, and kept to what a kernel is made of, before anything of it runs."""

import ast
import builtins
import difflib
import textwrap
from dataclasses import dataclass

from manyheads.kernels.handed_in import triton_words as words
from manyheads.kernels.launching import Finding, KernelError, Launch

_STATEMENTS = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.For, ast.While, ast.If, ast.Pass, ast.Return,
)  # fmt: skip
_EXPRESSIONS = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.Attribute, ast.Name,
    ast.Constant, ast.Subscript, ast.Slice, ast.Tuple, ast.List,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip
_SPOKEN = {
    ast.Import: "an import", ast.ImportFrom: "an import", ast.With: "`with`", ast.Try: "`try`", ast.Raise: "`raise`",
    ast.Global: "`global`", ast.Nonlocal: "`nonlocal`", ast.Delete: "`del`", ast.ClassDef: "a class",
    ast.FunctionDef: "a function inside the kernel", ast.Lambda: "`lambda`", ast.Break: "`break`",
    ast.Continue: "`continue`", ast.ListComp: "a comprehension", ast.GeneratorExp: "a comprehension",
    ast.Dict: "a dictionary", ast.Set: "a set", ast.JoinedStr: "an f-string", ast.NamedExpr: "`:=`",
    ast.Assert: "`assert`", ast.Starred: "`*`", ast.Yield: "`yield`", ast.Await: "`await`", ast.Match: "`match`",
}  # fmt: skip
_LEADS_OUT = (ast.Import, ast.ImportFrom, ast.With, ast.Try, ast.Raise, ast.Global, ast.Nonlocal, ast.ClassDef)


@dataclass(frozen=True)
class KernelText:
    """A kernel that keeps to the rules: its text, its tree, and its parameters in order."""

    source: str
    function: ast.FunctionDef
    parameters: tuple[str, ...]
    constants: tuple[str, ...]  #: those that are `tl.constexpr`

    def line(self, number: int) -> str:
        """A line of the text, stripped."""
        return _line(self.source, number)


def read_kernel(source: str) -> KernelText:
    """Read a kernel and check its words.

    Parameters
    ----------
    source : str
        One function with ``@triton.jit`` above it; it may be indented as a whole.

    Raises
    ------
    KernelError
        "does not compile" if it is no Python, or Triton has no such thing; "not allowed" if it holds more than one
        function, or names anything but `tl`, `triton.cdiv`, its parameters and its own variables.

    Examples
    --------
    >>> read_kernel("@triton.jit\\ndef nothing(x_ptr, BLOCK: tl.constexpr):\\n    pass\\n").parameters
    ('x_ptr', 'BLOCK')
    """
    text = textwrap.dedent(source)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
        line = getattr(wrong, "lineno", None)
        message = getattr(wrong, "msg", None) or "this text is too deeply nested or holds a null character"
        raise KernelError(Finding("does not compile", f"Python says: {message}.", line, _line(text, line))) from None
    function = _the_function(text, tree)
    try:
        _Reader(text, function).read()
    except RecursionError:
        raise KernelError(Finding("does not compile", "This text is too deeply nested.")) from None
    parameters = tuple(a.arg for a in function.args.args)
    constants = tuple(a.arg for a in function.args.args if a.annotation is not None and "constexpr" in ast.dump(a))
    return KernelText(text, function, parameters, constants)


def check_parameters(kernel: KernelText, launch: Launch) -> None:
    """Say what does not fit, if the kernel's name or parameters are not those of the launch ("wrong parameters")."""
    if kernel.function.name != launch.kernel:
        message = f"The kernel is called `{kernel.function.name}`; this exercise launches `{launch.kernel}`."
        raise KernelError(_at(kernel.source, kernel.function, "wrong parameters", message))
    wanted = (*launch.arguments, *launch.constants)
    if kernel.parameters != wanted:
        message = f"The parameters are ({', '.join(kernel.parameters)}), expected ({', '.join(wanted)}), in this order."
        raise KernelError(_at(kernel.source, kernel.function, "wrong parameters", message))
    if kernel.constants != tuple(launch.constants):
        wanted = ", ".join(launch.constants) or "none"
        message = f"Known when it is compiled, `: tl.constexpr`, are: {wanted}; got: {', '.join(kernel.constants)}."
        raise KernelError(_at(kernel.source, kernel.function, "wrong parameters", message))


def _line(text: str, number: int | None) -> str:
    lines = text.splitlines()
    return lines[number - 1].strip() if number and number <= len(lines) else ""


def _at(text: str, node, kind: str, message: str) -> Finding:
    number = getattr(node, "lineno", None)
    return Finding(kind, message, number, _line(text, number))


def _the_function(text: str, tree: ast.Module) -> ast.FunctionDef:
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            message = "A kernel has no imports: hand in the one function, with @triton.jit above it."
            raise KernelError(_at(text, node, "not allowed", message))
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        found = len(tree.body)
        message = f"Expected one function, with @triton.jit above it, and nothing beside it; got {found} statements."
        raise KernelError(Finding("not allowed", message))
    function = tree.body[0]
    if [ast.unparse(d) for d in function.decorator_list] != ["triton.jit"]:
        message = "The line above the function must be @triton.jit, and nothing else."
        raise KernelError(_at(text, function, "not allowed", message))
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise KernelError(_at(text, function, "does not compile", "A kernel's parameters are plain names, no `*`."))
    return function


class _Reader:
    """Goes over the function and stops at the first thing that a kernel may not hold."""

    def __init__(self, text: str, function: ast.FunctionDef):
        self.text, self.function = text, function
        stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.parameters = {a.arg for a in function.args.args}
        self.known = stored | self.parameters

    def read(self) -> None:
        self._names_of_its_own()
        for argument in self.function.args.args:
            if argument.annotation is not None and ast.unparse(argument.annotation) != "tl.constexpr":
                self._stop(argument, "not allowed", "The only type that a parameter here may have is `tl.constexpr`.")
        for default in self.function.args.defaults:
            self._expression(default)
        if self.function.returns is not None:
            self._stop(self.function.returns, "does not compile", "A kernel returns nothing.")
        for statement in self.function.body:
            self._statement(statement)

    def _names_of_its_own(self) -> None:
        for node in ast.walk(self.function):
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
            if name in self.known and (name in words.RESERVED or name.startswith("__")):
                self._stop(node, "not allowed", f"`{name}` has a meaning already: choose another name.")

    def _statement(self, node: ast.stmt) -> None:
        if not isinstance(node, _STATEMENTS):
            self._refuse(node)
        if isinstance(node, ast.Return) and node.value is not None:
            self._stop(node, "does not compile", "A kernel returns nothing: it stores its results with tl.store.")
        if isinstance(node, ast.Assign) and len(node.targets) > 1:
            self._stop(node, "does not compile", "Triton has no `a = b = …`: write two lines.")
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            self._stop(node, "does not compile", "Triton has no `else` after a loop.")
        for child in ast.iter_child_nodes(node):
            self._statement(child) if isinstance(child, ast.stmt) else self._expression(child)

    def _expression(self, node: ast.AST) -> None:
        if not isinstance(node, _EXPRESSIONS):
            self._refuse(node)
        if isinstance(node, ast.Attribute):
            self._attribute(node)
            return
        if isinstance(node, ast.Name):
            self._name(node)
        for child in ast.iter_child_nodes(node):
            self._expression(child)

    def _attribute(self, node: ast.Attribute) -> None:
        written, name = ast.unparse(node), node.attr
        holder = ast.unparse(node.value)
        if holder == "tl":
            self._of(node, words.LANGUAGE, "tl")
        elif holder == "tl.math":
            self._of(node, words.MATHEMATICS, "tl.math")
        elif holder == "triton":
            if name == "language":
                self._stop(node, "not allowed", "Write `tl`, not `triton.language`.")
            self._of(node, words.HELPERS, "triton")
        elif name not in words.METHODS:
            if name.startswith("_") or (isinstance(node.value, ast.Name) and node.value.id not in self.known):
                self._expression(node.value)
                self._stop(node, "not allowed", f"`{written}` leads out of the kernel.")
            self._stop(node, "does not compile", f"A value in a kernel has no `.{name}` here{self._near(name)}")
        else:
            self._expression(node.value)

    def _of(self, node: ast.Attribute, names: frozenset, holder: str) -> None:
        name = node.attr
        if name in names:
            return
        if name in words.REFUSED:
            self._stop(node, "not allowed", words.REFUSED[name])
        if name.startswith(("_", "atomic", "inline", "extra", "core")):
            self._stop(node, "not allowed", f"`{holder}.{name}` is not for a kernel of this kind.")
        near = difflib.get_close_matches(name, names, 1)
        meant = f": did you mean `{holder}.{near[0]}`?" if near else "."
        self._stop(node, "does not compile", f"There is no `{holder}.{name}` for kernels here{meant}")

    def _near(self, name: str) -> str:
        near = difflib.get_close_matches(name, words.METHODS, 1)
        return f": did you mean `.{near[0]}`?" if near else "."

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if name in self.known or name in words.BUILTINS or name in ("tl", "triton"):
            return
        if name in words.INSTEAD:
            self._stop(node, "not allowed", words.INSTEAD[name])
        if name == self.function.name:
            self._stop(node, "not allowed", "A kernel does not call itself.")
        near = difflib.get_close_matches(name, self.known, 1)
        near += [f"tl.{name}"] * (name in words.LANGUAGE)
        meant = f" Did you mean `{near[-1]}`?" if near else ""
        kind = "not allowed" if name.startswith("_") or hasattr(builtins, name) else "does not compile"
        self._stop(node, kind, f"`{name}` is neither a parameter nor a variable of this kernel.{meant}")

    def _refuse(self, node: ast.AST) -> None:
        spoken = _SPOKEN.get(type(node), f"`{type(node).__name__}`")
        kind = "not allowed" if isinstance(node, _LEADS_OUT) else "does not compile"
        self._stop(node, kind, f"A Triton kernel cannot hold {spoken}.")

    def _stop(self, node: ast.AST, kind: str, message: str) -> None:
        raise KernelError(_at(self.text, node, kind, message))
