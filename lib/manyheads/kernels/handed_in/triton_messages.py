"""What goes wrong inside an interpreted kernel, in plain sentences with the kernel's own line."""

import re

from manyheads.kernels.handed_in.triton_memory import OutOfBounds, ReadOnly, Told
from manyheads.kernels.handed_in.triton_text import KernelText
from manyheads.kernels.launching import Finding


def finding_of(error: BaseException, kernel: KernelText, file: str, program: tuple[int, ...]) -> Finding:
    """What `error`, raised while a kernel ran, tells its writer."""
    line = _line_of(error, file)
    text = kernel.line(line) if line else ""
    cause = _first_cause(error)
    if isinstance(cause, OutOfBounds):
        return Finding("out of bounds", f"Program {program}: {cause}", line, text)
    if isinstance(cause, ReadOnly):
        return Finding("not allowed", str(cause), line, text)
    if isinstance(cause, MemoryError):
        return Finding("too much memory", "The kernel's blocks do not fit into memory: are they too large?", line, text)
    return Finding("does not compile", _sentence(cause), line, text)


def _line_of(error: BaseException, file: str) -> int | None:
    """The innermost line of the kernel itself that led to the error."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _first_cause(error: BaseException) -> BaseException:
    """Triton wraps what happens in `tl.sum` and the like in errors of its own; the reason stands at the start."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _sentence(error: BaseException) -> str:
    said = " ".join(str(error).split())[:400]
    if isinstance(error, Told):
        return f"{said}."
    if "unsupported tensor index" in said:
        return "A pointer or a block is not indexed with numbers: add them to the pointer, and call tl.load."
    if isinstance(error, UnboundLocalError | NameError):
        name = re.search(r"'(\w+)'", said)
        return f"`{name[1] if name else said}` is used here before it has a value."
    if isinstance(error, ZeroDivisionError):
        return "This line divides a whole number by 0."
    if isinstance(error, RecursionError):
        return "This line never comes to an end of its calls."
    if isinstance(error, AttributeError) and "triton.language" in said:
        name = re.search(r"attribute '(\w+)'", said)
        return f"This version of Triton has no `tl.{name[1] if name else said}`."
    if isinstance(error, AttributeError | TypeError) and "_semantic" in said:
        said = said.replace("_semantic", "")
    if isinstance(error, TypeError) and "tensor" in said and "interpreted as an integer" in said:
        return "A whole number known when the kernel is compiled is needed here: a number, or a `tl.constexpr`."
    return f"Triton says: {said.rstrip('.') or type(error).__name__}."
