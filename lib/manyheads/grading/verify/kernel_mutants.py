"""Mechanical mutants of a kernel's source: CUDA C++ piece by piece, Triton as the Python that it is."""

import re

from manyheads.grading.verify.mutants import Mutant, mutants

#: A kernel is built for every mutant. Of a long one every second or third change is made.
MOST = 60

#: What is looked for in a line of CUDA C++, and what is written in its place.
_CHANGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(?<=[\w)\]] )\+(?= [\w(])", ("-",)),
    (r"(?<=[\w)\]] )-(?= [\w(])", ("+",)),
    (r"(?<=[\w)\]] )\*(?= [\w(])", ("+",)),
    (r"(?<=[\w)\]] )/(?= [\w(])", ("%",)),
    (r"(?<=[\w)\]] )%(?= [\w(])", ("/",)),
    (r"(?<= )<(?= )", ("<=",)),
    (r"(?<= )<=(?= )", ("<",)),
    (r"(?<= )>(?= )", (">=",)),
    (r"(?<= )>=(?= )", (">",)),
    (r"(?<= )==(?= )", ("!=",)),
    (r"(?<= )&&(?= )", ("||",)),
    (r"(?<= )\+=(?= )", ("-=", "=")),
    (r"(?<= )\*=(?= )", ("=",)),
    (r"\bfmaxf\b", ("fminf",)),
    (r"\bmin\b(?=\()", ("max",)),
    (r"\bmax\b(?=\()", ("min",)),
    (r"\bexpf\b", ("exp2f",)),
    (r"(?<![\w.])0(?![\w.])", ("1",)),
    (r"(?<![\w.])1(?![\w.])", ("2", "0")),
    (r"\b0\.0?f\b", ("1.0f",)),
    (r"\b1\.0?f\b", ("0.5f",)),
    (r"-INFINITY", ("0.0f",)),
    (r"\bblockIdx\.x\b", ("blockIdx.y",)),
    (r"\bblockIdx\.y\b", ("blockIdx.x",)),
    (r"\bthreadIdx\.x\b", ("0",)),
)

#: A statement that stands on a line of its own and declares nothing can be left out.
_STATEMENT = re.compile(
    r"^\s*(?:__sync\w+\(|[\w\[\]. +*/%()-]+ [-+*/]?= |if \(.*\) (?:return|continue|break))[^;]*;\s*(?://.*)?$"
)


def kernel_mutants(source: str, of: str) -> list[Mutant]:
    """At most `MOST` mutants of a kernel, spread evenly over all that could be made; left-out lines always."""
    if source.startswith("@triton.jit"):
        return _some(mutants(source, of))
    lines = source.splitlines(keepends=True)
    left_out, changed = [], []
    for number, line in enumerate(lines):
        code = line.split("//")[0]
        if _STATEMENT.match(line):
            left_out.append(_with(lines, number, "\n", of))
        for pattern, others in _CHANGES:
            for match in re.finditer(pattern, code):
                for other in others:
                    altered = code[: match.start()] + other + code[match.end() :]
                    changed.append(_with(lines, number, altered + line[len(code) :], of))
    return left_out + _some(changed, MOST - len(left_out))


def _with(lines: list[str], number: int, line: str, of: str) -> Mutant:
    source = "".join([*lines[:number], line, *lines[number + 1 :]])
    return Mutant(of, f"{number + 1}: {lines[number].strip()}  =>  {line.strip()}", source)


def _some(found: list[Mutant], most: int = MOST) -> list[Mutant]:
    step = max(1, -(-len(found) // max(1, most)))
    return found[::step]
