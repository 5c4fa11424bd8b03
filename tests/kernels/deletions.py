"""What can be deleted from the library's kernels, one at a time: barriers, masks and rescalings."""

import re
from dataclasses import dataclass
from pathlib import Path

from .deletions_triton import deleted as deleted_from_triton

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "lib" / "manyheads" / "kernels"


@dataclass(frozen=True)
class Deletion:
    """One piece of a kernel's source, and what stands there without it."""

    file: Path
    line: int
    kind: str  #: "barrier", "mask" or "rescale"
    before: str
    after: str

    @property
    def key(self) -> str:
        """What does not change when lines move: ``cuda/tiled_attention.cu barrier: … => …``."""
        return f"{self.file.relative_to(KERNELS)} {self.kind}: {self.before.strip()} => {self.after.strip()}"

    @property
    def name(self) -> str:
        """The key with the line."""
        file, rest = self.key.split(" ", 1)
        return f"{file}:{self.line} {rest}"

    @property
    def language(self) -> str:
        """``"cuda"`` or ``"triton"``."""
        return self.file.parent.name

    def source(self) -> str:
        """The whole file with the piece deleted."""
        lines = self.file.read_text("utf-8").split("\n")
        assert lines[self.line - 1] == self.before
        lines[self.line - 1] = self.after
        return "\n".join(lines)


#: Conditions with && between them, in a declaration or an if: each of them is one to delete.
_CONDITIONS = re.compile(r"(?:\bbool \w+ = |if \()((?:[^;?&]+ && )+[^;?&]+?)(?=;|\) )")

#: What is found in a line of CUDA C++, and what is left of it: each match alone. `\g<1>` is what stays.
_CUDA = {
    "barrier": [(r"__syncthreads\(\);|__syncwarp\(\);", "")],
    "rescale": [
        (r"[\w\[\]]+ \*= rescale;", ";"),
        (r" \* rescale\b", ""),
        (r"(?<=: )(sums\[\w+\]) / total\b", r"\g<1>"),
    ],
    "mask": [
        (r"\b(?:there|seen)\b \? ([^:]+) : (?:0\.0f|-INFINITY)", r"\g<1>"),
        (r"\w+ == (?:0\.0f|-INFINITY) \? 0\.0f : ([^;]+)", r"\g<1>"),
        (r"\bcausal \? [^:]+ : (\w+)", r"\g<1>"),
        (r"\bmin\((lengths\[batch\]), k_len\)", r"\g<1>"),
        (r"\bmin\((length), [^;]+\)", r"\g<1>"),
        (r"\bmax\(0, ([^;]+)\)", r"\g<1>"),
        (r"if \(row >= q_len\) return;", ""),
        (r"if \((?:d < V_HEAD_DIM|lane == 0)\) ", ""),
    ],
}


def deletions() -> list[Deletion]:
    """All of them, file by file."""
    files = [*sorted(KERNELS.glob("cuda/*.cu")), *sorted(KERNELS.glob("triton/*.py"))]
    return [deletion for file in files for deletion in _of(file)]


def _of(file: Path) -> list[Deletion]:
    text = file.read_text("utf-8")
    found = deleted_from_triton(text) if file.suffix == ".py" else _deleted_from_cuda(text)
    lines = text.split("\n")
    alone = {(number, after): kind for number, kind, after in found}  # two rules may leave the same
    return [Deletion(file, number, kind, lines[number - 1], after) for (number, after), kind in alone.items()]


def _deleted_from_cuda(text: str) -> list[tuple[int, str, str]]:
    """Line number from 1, kind, and the line after the deletion."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        code = line.split("//")[0].rstrip()
        for kind, patterns in _CUDA.items():
            for pattern, left in patterns:
                for match in re.finditer(pattern, code):
                    found.append((number, kind, code[: match.start()] + match.expand(left) + code[match.end() :]))
        for match in _CONDITIONS.finditer(code):
            conditions = match[1].split(" && ")
            for left_out in range(len(conditions)):
                others = " && ".join(conditions[:left_out] + conditions[left_out + 1 :])
                found.append((number, "mask", code[: match.start(1)] + others + code[match.end(1) :]))
    return found
