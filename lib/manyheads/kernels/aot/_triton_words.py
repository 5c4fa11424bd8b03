"""In the worker: what Triton's compiler says, as a sentence and a line of the source as it was handed over."""

import contextlib
import inspect
import re
from pathlib import Path

from triton.compiler.errors import CompilationError

#: What Python has and Triton's language has not, by the names of Python's syntax tree.
_NOT_COMPILED = {
    "Break": "break cannot be compiled: give the loop its number of rounds, or use a mask",
    "Continue": "continue cannot be compiled: use an if, or a mask",
    "Try": "try cannot be compiled",
    "Lambda": "lambda cannot be compiled: write a @triton.jit function",
    "ListComp": "a list cannot be compiled: use tl.arange",
    "With": "with cannot be compiled",
}
#: What helps, after the compiler's own words.
_HINTS = (
    ("must be a power of 2", "round the size up to one, and mask what is too much"),
    ("must be of type tl.constexpr", "the size of a tile must be a parameter that is marked tl.constexpr"),
    ("Loop-carried variable", "begin with a value of the type that the loop gives it"),
)


def finding(error: Exception, source: str | None, kernels: list, log: str) -> dict:
    """What the compiler has to say, for the person who wrote the kernel."""
    if isinstance(error, SyntaxError):
        return _told(f"Python cannot read it: {error.msg}", error.lineno, source)
    inner, innermost = error, None
    while inner is not None:  # a function that the kernel calls has its own error as the cause
        if isinstance(inner, CompilationError) and hasattr(inner.node, "lineno"):
            innermost = inner
        inner = inner.__cause__
    if innermost is not None:
        line = _line(innermost, kernels)
        if innermost.error_message is None and innermost.__cause__ is not None:
            return _told(_sentence(str(innermost.__cause__)), line, source)
        return _told(_sentence(str(innermost.error_message)), line, source)
    printed = ""
    with contextlib.suppress(OSError):
        printed = Path(log).read_text(errors="replace")
    located = re.search(r":(\d+):\d+\)?: error: (.*)", printed)  # of the passes after the reading
    if located:
        return _told(_sentence(located[2]), int(located[1]), source)
    line = _last_line(error) if source is not None else None
    return _told(_sentence(str(error).splitlines()[0] if str(error) else type(error).__name__), line, source)


def _told(message: str, line: int | None, source: str | None) -> dict:
    lines = (source or "").splitlines()
    text = lines[line - 1].strip() if line and 0 < line <= len(lines) else ""
    return {"kind": "does not compile", "message": message, "line": line, "text": text}


def _line(error: CompilationError, kernels: list) -> int | None:
    """Triton counts from the `def`; the author from the top."""
    for kernel in kernels:
        if kernel.src == error.src:
            text, first = inspect.getsourcelines(kernel.fn)
            decorators = next(n for n, line in enumerate(text) if re.match(r"\s*def\s", line))
            return first + decorators + getattr(error.node, "lineno", 1) - 1
    return None


def _last_line(error: Exception) -> int | None:
    """Where the source itself failed, being executed: a name that is not there, outside of a kernel."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<kernel>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _sentence(words: str) -> str:
    wrapped = re.match(r"""^\w+\((["'])(.*)\1\)$""", words.strip(), re.DOTALL)  # the repr of an exception
    words = (wrapped[2] if wrapped else words).strip().split("\n")[0]
    syntax = re.match(r"unsupported AST node type: (\w+)", words)
    if syntax:
        return _NOT_COMPILED.get(syntax[1], f"Triton does not compile Python's {syntax[1].lower()}")
    words = re.sub(r"module 'triton\.language' has no attribute '(\w+)'", r"tl has no \1", words)
    hint = next((hint for part, hint in _HINTS if part in words), "")
    return f"{words}: {hint}" if hint else words
