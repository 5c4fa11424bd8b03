"""What is rewritten in a kernel's source before it is compiled for a CPU. Every line keeps its number."""

import re

from manyheads.kernels.emulate.source import DIRECTIVE, blanked

_SHARED = re.compile(r"\b(extern\s+|static\s+)?__shared__\b")
_ALIGNED = re.compile(r"\b(?:__align__|alignas)\s*\((?:[^()]|\([^()]*\))*\)|\b(?:static|extern)\b")


def rewritten(source: str) -> str:
    """The source as the compiler gets it.

    ``__shared__ float tile[4][8];`` becomes a reference to memory that the runtime gives out, with nothing around it;
    ``extern __shared__ float tile[];`` a pointer to what the launch asks for. Lines of ``#include`` go.

    Examples
    --------
    >>> rewritten("extern __shared__ float tile[];")
    'typedef float tile_type; tile_type* const tile = (tile_type*)cpu::dynamic_shared("tile", ...__LINE__);'
    """
    code = blanked(source)
    source = "".join(_without(source, [m.span() for m in DIRECTIVE.finditer(code) if m[1] == "include"]))
    code = blanked(source)
    pieces, done = [], 0
    for found in _SHARED.finditer(code):
        start_of_line = code.rfind("\n", 0, found.start()) + 1
        if found.start() < done or re.match(r"\s*#", code[start_of_line : found.start()]):
            continue  # in a macro: the header's own __shared__ stands in
        end = _end_of_declaration(code, found.end())
        declaration = _declaration(code[found.end() : end], dynamic=(found[1] or "").startswith("extern"))
        if declaration is not None:
            breaks = "\n" * code.count("\n", found.start(), end)
            pieces += [source[done : found.start()], declaration, breaks]
            done = end + 1
    return "".join([*pieces, source[done:]])


def _without(text: str, spans: list[tuple[int, int]]):
    done = 0
    for start, end in spans:
        yield text[done:start]
        done = end
    yield text[done:]


def _end_of_declaration(code: str, start: int) -> int:
    """Where its semicolon is."""
    depth = 0
    for position in range(start, len(code)):
        depth += (code[position] in "{([") - (code[position] in "})]")
        if code[position] == ";" and depth <= 0:
            return position
    return len(code)


def _declaration(text: str, dynamic: bool) -> str | None:
    """One line that stands for a declaration of shared memory; None where it cannot be read."""
    first, *others = _split(" ".join(_ALIGNED.sub(" ", text).split()))
    found = re.fullmatch(r"(.*?[\s*&>}])(\w+)\s*((?:\[.*\])?)", first)
    rest = [re.fullmatch(r"\s*(\w+)\s*((?:\[.*\])?)", other) for other in others]
    if found is None or None in rest:
        return None
    kind, name = found[1], found[2]
    if dynamic:
        return (
            f"typedef {kind}{name}_type; {name}_type* const {name} = "
            f'({name}_type*)cpu::dynamic_shared("{name}", sizeof({name}_type), __LINE__);'
        )
    element = f"{name}_element"
    made = [f"typedef {kind}{element};"]
    for one, size in [(name, found[3]), *((other[1], other[2]) for other in rest if other)]:
        made.append(
            f"typedef {element} {one}_type{size}; static char {one}_key; {one}_type& {one} = *({one}_type*)"
            f'cpu::shared_array(&{one}_key, "{one}", sizeof({one}_type), sizeof({element}), __LINE__);'
        )
    return " ".join(made)


def _split(text: str) -> list[str]:
    """At commas outside brackets."""
    depth, parts = 0, [""]
    for character in text:
        depth += (character in "{([<") - (character in "})]>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
