"""Sentences for what went wrong in a launch."""

import re
import shutil
import signal
import subprocess
from pathlib import Path

from manyheads.kernels.emulate.source import text_of
from manyheads.kernels.launching import Finding, Launch

_LINE = 1 << 31  # set where a place is a line already: see state.h
_TYPES = {
    "f4": "float", "f8": "double", "i1": "signed char", "i2": "short", "i4": "int", "i8": "long long", "b1": "bool",
    "u1": "unsigned char", "u2": "unsigned short", "u4": "unsigned", "u8": "unsigned long long", "*1": "void",
}  # fmt: skip


def finding(
    result: bytes, code: int | None, program: Path, source: str, launch: Launch, seconds: float, memory: int, name: str
) -> Finding:
    """What a program that ran no launch to its end has to say, or what its end says of it.

    `result` is what it wrote, `code` its exit status: None if it was killed because it did not end.
    """
    if result[:1] == b"F":
        told = dict(line.split("=", 1) for line in result[1:].decode(errors="replace").splitlines() if "=" in line)
        lines = [_line(place, program, name) for place in _places(told.get("where", ""))]
        return _of(told, lines, source, launch, seconds, memory)
    if code is None or code == -signal.SIGXCPU:
        return Finding("endless", f"The launch did not end within {seconds:g} seconds.")
    if code == -signal.SIGKILL:
        return Finding("too much memory", f"The launch was killed; it may have {_size(memory)}.")
    if code < 0:
        return Finding("crash", f"The launch ended with {_signal(-code)}.")
    return Finding("crash", f"The launch ended without a result (status {code}).")


def _of(told: dict[str, str], lines: list, source: str, launch: Launch, seconds: float, memory: int) -> Finding:
    kind, why = told["kind"], told.get("why", "")
    known = [line for line in lines if line is not None]
    line = known[0] if known else None
    if kind == "data race":
        line = _line_of_race(told, lines)
        message = _race(told, lines)
    elif kind == "out of bounds":
        message = _bounds(told)
    elif kind == "divergent barrier":
        message = _divergence(told, line)
    elif kind == "uninitialised shared memory":
        message = f"Element {told['element']} of {told['name']} is read before any thread of the block has written it."
    elif kind == "wrong parameters":
        message = _parameters(told, launch)
    elif kind == "too many resources":
        message = (
            "A block may have 48 KiB of shared memory that is declared with its size; this one has "
            f"{int(told['bytes']) / 1024:.4g} KiB." if why == "shared" else "There are too many arrays."
        )  # fmt: skip
    elif kind == "too much memory":
        message = f"{_what(told.get('what', ''))} {_size(int(told['bytes']))}; a launch may have {_size(memory)}."
    elif kind == "endless":
        message = f"The launch did not end within {seconds:g} seconds" + (", and was here then." if line else ".")
    else:
        message = _crash(told, why)
    line = line or None  # 0: before any barrier
    return Finding(kind, message, line, text_of(source, line), _place(told))


def _place(told: dict[str, str]) -> tuple[int | str, ...]:
    """What was touched outside an array, or read unwritten."""
    kind = told["kind"]
    if kind == "uninitialised shared memory":
        return (int(told["element"]),)
    if kind != "out of bounds" or "type" in told or "name" not in told:
        return ()
    element = int(told["element"])
    return (element,) if told.get("shared") == "1" else (element, told["name"])


def _race(told: dict[str, str], lines: list) -> str:
    (first_stores, second_stores), what = told["stores"].split(","), f"element {told['element']} of {told['name']}"
    a, b = (f"line {line}" if line else "a line" for line in lines[:2])
    if first_stores != "1":
        a, b, first_stores, second_stores = b, a, second_stores, first_stores
    verb = "also writes" if second_stores == "1" else "reads"
    between = "thread of another block" if told["blocks"] == "1" else "thread"
    cure = (
        "nothing orders two blocks"
        if told["blocks"] == "1"
        else "a __syncthreads() is missing between them, or two threads have the same element"
    )
    if a == b and verb == "reads":
        return f"In {a} a thread writes {what}, which another {between} reads there; {cure}."
    return f"{a.capitalize()} writes {what}, which another {between} {verb} in {b}; {cure}."


def _line_of_race(told: dict[str, str], lines: list) -> int | None:
    """The reading one; of two writing ones the later."""
    stores = told["stores"].split(",")
    reading = [line for line, stored in zip(lines, stores, strict=False) if stored == "0"]
    known = [line for line in reading or lines if line is not None]
    return max(known) if known else None


def _bounds(told: dict[str, str]) -> str:
    verb = {"1": "written", "0": "read"}.get(told.get("store", ""), "touched")
    if "type" in told:
        kind = _type(told["type"])
        size = re.search(r"\[(\d+)\]", kind)
        last = f", whose last index is {int(size[1]) - 1}" if size else ""
        return f"Index {told['index']} is used with an array {kind}{last}."
    if "name" not in told:
        return f"An address is {verb} that lies in none of the launch's arrays."
    element, count = int(told["element"]), int(told["count"])
    where = f"{-element} before its beginning" if element < 0 else f"{element - count + 1} past its end"
    what = "shared array " if told.get("shared") == "1" else ""
    return f"Element {element} of {what}{told['name']}, which has {count}, is {verb}: {where}."


def _divergence(told: dict[str, str], line: int | None) -> str:
    if told.get("why") == "mask":
        return f"The mask 0x{int(told['mask']):08x} of a warp operation leaves out lane {told['lane']}, which calls it."
    barrier = "a warp operation" if told["warp"] == "1" else "__syncthreads()"
    waiting, threads, returned = int(told["waiting"]), int(told["threads"]), int(told["returned"])
    parts = [f"{waiting} of the block's {threads} threads wait at {barrier} in line {line}"]
    if returned:
        parts.append(f"{returned} {'has' if returned == 1 else 'have'} returned")
    if told["elsewhere"] != "0":
        rest = threads - waiting - returned
        parts.append(f"{rest} {'waits' if rest == 1 else 'wait'} elsewhere, in line {told['elsewhere']}")
    return ", ".join(parts) + ". Every thread of the block must reach the same barrier."


def _parameters(told: dict[str, str], launch: Launch) -> str:
    names = list(launch.arguments)
    if told["why"] == "count":
        has, given = int(told["has"]), len(names)
        has_them = f"The kernel {launch.kernel} has {has} parameter{'s' * (has != 1)}"
        return f"{has_them}; it is launched with {given}: {', '.join(names)}."
    position = int(told["position"])
    name, wants = names[position], _TYPES.get(told["wants"], "something else")
    value = launch.arguments[name]
    what = f"Parameter {position + 1} of {launch.kernel} ({name})"
    if told["why"] == "type":
        return f"{what} is of a type that no launch here can fill; take a pointer to numbers, or a number."
    if told["why"] == "wants number":
        return f"{what} is a single {wants}; it gets an array, so it must be a pointer."
    if told["why"] == "wants array":
        return f"{what} is a pointer; it gets a single number."
    if told["why"] == "constant":
        return f"{what} is a pointer to const; the kernel has to write there."
    dtype = value.dtype if not isinstance(value, int | float) else "number"
    return f"{what} is a pointer to {wants}; it gets an array of {dtype}."


def _crash(told: dict[str, str], why: str) -> str:
    if why == "alignment":
        whose = f" of {told['name']}" if told.get("name") else ""
        kind = _type(told["type"])
        return f"An address{whose} is read or written as {kind}, but it is no multiple of {told['bytes']} bytes."
    return {
        "null": "The null pointer is read or written.",
        "division": "A whole number is divided by zero.",
        "stack": "A thread's local variables need more than 256 KiB.",
    }.get(why, f"The launch ended: {why}.")


def _type(told: str) -> str:
    """As its author would write it; compilers say ``'float [32]'``, or ``'tile_element[32]' (aka 'float[32]')``."""
    aka = re.search(r"aka '([^']+)", told)
    plain = aka[1] if aka else told.strip("'")
    return re.sub(r"\s+(?=\[)", "", plain.replace("struct ", "").replace("const ", ""))


def _what(what: str) -> str:
    return {
        "malloc": "malloc was asked for",
        "new": "new was asked for",
        "global": "With its arrays outside functions the kernel needs",
    }.get(what, f"For {what} it needs")


def _size(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _places(text: str) -> list[int]:
    return [int(place) for place in text.split(",") if place.isdigit()]


def _line(place: int, program: Path, name: str) -> int | None:
    """The line of a place in a program; the author's, where a function of the header lies between."""
    if place & _LINE:
        return place & ~_LINE
    tool = next((t for t in ("addr2line", "llvm-addr2line", "llvm-symbolizer") if shutil.which(t)), None)
    if tool is None or not place:
        return None
    form = ["--output-style=GNU", "-s", "-f=none"] if tool == "llvm-symbolizer" else ["-s"]
    done = subprocess.run([tool, "-e", str(program), "-i", *form, hex(place)], capture_output=True, text=True)
    found = re.search(rf"^{re.escape(name)}:(\d+)", done.stdout, re.M)
    return int(found[1]) if found and int(found[1]) else None
