"""A kernel's source as text: its lines, its kernels, and what is refused."""

import re

from manyheads.kernels.launching import Finding

#: What a source may include. All of it is there already, so these lines mean nothing.
HEADERS = {
    "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "math_constants.h",
    "math.h", "cmath", "float.h", "cfloat", "limits.h", "climits", "stdint.h", "cstdint", "stddef.h", "cstddef",
    "stdio.h", "cstdio", "assert.h", "cassert",
}  # fmt: skip

#: What no kernel of this course needs, and what reaches beyond a kernel. Not a sandbox: it keeps accidents small.
NOT_ALLOWED = (
    (r"\b(?:asm|__asm|__asm__)\b", "inline assembly"),
    (r"\b_Pragma\b", "_Pragma"),
    (r"\b__attribute(?:__)?\b|\[\[", "compiler attributes"),
    (r"\b__builtin_\w+", "a compiler's builtin functions"),
    (r"\b(?:system|popen|fork|vfork|exec[lv]\w*|kill|syscall|mmap|mprotect|dlopen|dlsym|ptrace|socket|signal)\s*\(",
     "calls to the operating system"),
    (r"\b(?:f?open|freopen|fdopen|remove|unlink|rename|chmod|getenv|setenv)\s*\(", "files and the environment"),
    (r"\b(?:exit|_exit|_Exit|quick_exit|atexit)\s*\(", "the end of the program"),
    (r"\b(?:setjmp|longjmp)\s*\(", "jumps between functions"),
    (r"\b(?:__tsan_\w+|__ubsan_\w+|cpu\s*::)", "names of the emulator"),
    (r"##", "## in macros"),
)  # fmt: skip

DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(\w+)(.*)$", re.M)
_KERNEL = re.compile(
    r"__global__\b(?:\s|\b(?:void|static|inline|extern)\b|\b__(?!global)\w+__\b"
    r"(?:\s*\((?:[^()]|\([^()]*\))*\))?)*?\b(?!void\b|static\b|inline\b|extern\b|__)(\w+)\s*\("
)
_COMMENT_OR_LITERAL = re.compile(
    r"//(?:\\\r?\n|[^\n])*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|R"([^()\\ ]{0,16})\(.*?\)\1"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<!\w)'(?:\\.|[^'\\\n])*'",
    re.S,
)


def blanked(source: str) -> str:
    """The source with comments and literals as spaces; every character keeps its place."""
    return _COMMENT_OR_LITERAL.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


def line_of(source: str, position: int) -> int:
    return source.count("\n", 0, position) + 1


def text_of(source: str, line: int | None) -> str:
    """A line of the source, stripped; empty if there is none."""
    lines = source.split("\n")
    return lines[line - 1].strip() if line is not None and 1 <= line <= len(lines) else ""


def kernels(source: str) -> list[str]:
    """The names of the source's ``__global__`` functions."""
    return list(dict.fromkeys(_KERNEL.findall(blanked(source))))


def refusal(source: str) -> Finding | None:
    """Why this source is not even compiled; None for one that is."""
    code = blanked(source)
    joined = re.sub(r"\\\r?\n", "", code)  # a line may not hide its second half
    if "\0" in source:
        return Finding("not allowed", "The source contains a zero byte.")
    for directive in DIRECTIVE.finditer(code):
        why = _why_not(directive[1], directive[2], text_of(source, line_of(code, directive.start())))
        if why:
            return _finding(source, why, line_of(code, directive.start()))
    for pattern, what in NOT_ALLOWED:
        found = re.search(pattern, code) or re.search(pattern, joined)
        if found:
            line = line_of(code, found.start()) if found.string is code else None
            return _finding(source, f"A kernel here may not use {what}: {found[0].strip(' (')}.", line)
    return None


def _finding(source: str, message: str, line: int | None) -> Finding:
    return Finding("not allowed", message, line, text_of(source, line))


def _why_not(directive: str, rest: str, written: str) -> str | None:
    if directive in ("include", "include_next", "import", "embed"):
        header = re.search(r'include\s*[<"]([^>"]+)[>"]', written)
        if header is not None and header[1] in HEADERS:
            return None
        what = f"The header {header[1]}" if header else f"What {written} names"
        return (
            f"{what} cannot be included. A kernel here needs no header: mathematics, vector types and CUDA's own names "
            "are there without one."
        )
    if directive == "pragma" and not re.match(r"\s*(?:unroll|nounroll|once)\b", rest):
        return "Of the pragmas, a kernel here may use #pragma unroll."
    if directive in ("line", "ident"):
        return f"A kernel here may not use #{directive}."
    return "A kernel here may not look for files." if re.search(r"__has_(?:include|embed)", rest) else None
