"""What a C++ compiler complains of, for the person who wrote the kernel."""

import re

from manyheads.kernels.emulate.source import blanked, kernels, line_of, text_of
from manyheads.kernels.launching import Finding


def no_kernel(kernel: str, known: list[str]) -> str:
    there = f"there is {', '.join(known)}" if known else "the source has none"
    return f"There is no __global__ function called {kernel}; {there}."


def compile_error(told: str, source: str, kernel: str, name: str) -> Finding:
    """The compiler's first error, without paths.

    Examples
    --------
    >>> told = "kernel.cu:2:3: error: 'y' was not declared in this scope"
    >>> compile_error(told, "int f() {\\n  return y; }", "f", "kernel.cu").where
    'line 2: return y; }'
    """
    errors = re.findall(r"^([^\n:]*):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", told, re.M)
    if errors:
        file, line, error = errors[0]
        if file == "launch":
            known = kernels(source)
            opened = blanked(source).count("{") - blanked(source).count("}")
            if opened > 0:
                braces = "a } is missing" if opened == 1 else f"{opened} times a }} is missing"
                return Finding("does not compile", f"The source ends inside of braces: {braces}.")
            why = f"The kernel {kernel} cannot be launched: {error}" if known else no_kernel(kernel, known)
            return Finding("wrong parameters", why)
        if file != name:  # the cause is in the header, the place in the source
            inside = re.search(rf"{re.escape(name)}:(\d+)", told)
            return _at(source, error, int(inside[1]) if inside else None)
        return _at(source, error, int(line))
    if re.search(r"relocation truncated|relocation R_\w+ out of range|too large", told):
        return Finding("too much memory", "The arrays outside functions need more than 2 GiB.")
    undefined = re.search(r"undefined (?:reference to|symbol:?) [`'\"]?([^`'\"\n]+)", told)
    if undefined:
        called = re.search(rf"\b{re.escape(undefined[1].split('(')[0])}\b", source)
        line = line_of(source, called.start()) if called else None
        return _at(source, f"{undefined[1]} is declared and never defined", line)
    last = told.strip().splitlines()[-1] if told.strip() else "the compiler gave no reason"
    return Finding("does not compile", re.sub(r"\S*/|^error: ", "", last))


def _at(source: str, error: str, line: int | None) -> Finding:
    return Finding("does not compile", error, line, text_of(source, line))
