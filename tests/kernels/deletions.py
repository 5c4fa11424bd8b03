"""What can be deleted from the library's kernels, one at a time: barriers, masks and rescalings."""

import re
from dataclasses import dataclass
from pathlib import Path

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
    def name(self) -> str:
        """``cuda/tiled_attention.cu:93 barrier: …``."""
        return (
            f"{self.file.relative_to(KERNELS)}:{self.line} {self.kind}: {self.before.strip()} => {self.after.strip()}"
        )

    def source(self) -> str:
        """The whole file with the piece deleted."""
        lines = self.file.read_text("utf-8").split("\n")
        assert lines[self.line - 1] == self.before
        lines[self.line - 1] = self.after
        return "\n".join(lines)


#: Conditions with && between them, in a declaration or an if: each of them is one to delete.
_CONDITIONS = re.compile(r"(?:\bbool \w+ = |if \()((?:[^;?&]+ && )+[^;?&]+?)(?=;|\) )")

#: What is found in a line, and what is left of it: each match alone. `\g<1>` is what stays.
_CUDA = {
    "barrier": [(r"__syncthreads\(\);|__syncwarp\(\);", "")],
    "rescale": [(r"[\w\[\]]+ \*= rescale;", ";"), (r" \* rescale\b", "")],
    "mask": [
        (r"\b(?:there|seen)\b \? ([^:]+) : (?:0\.0f|-INFINITY)", r"\g<1>"),
        (r"if \(row >= q_len\) return;", ""),
        (r"if \(d < V_HEAD_DIM\) ", ""),
    ],
}
_TRITON = {
    "rescale": [(r" \* rescale(?:\[:, None\])?", "")],
    "mask": [
        (r"allowed = allowed & .*", "pass"),
        (r"seen = seen & .*", "pass"),
        (r"inside = inside & .*", "pass"),
        (r"tl\.where\((?:allowed|seen\[:, None\]|read\[:, None\]), ([\w.]+), .*?\)(?=,|$)", r"\g<1>"),
        (r"(?<=\bread = )seen_by_some\(keys, band\)", "None"),
        (r", mask=[\w\[\]:, <()]+?(?=, other|\)$)", ""),
    ],
}


def deletions() -> list[Deletion]:
    """All of them, file by file."""
    files = [*sorted(KERNELS.glob("cuda/*.cu")), *sorted(KERNELS.glob("triton/*.py"))]
    return [deletion for file in files for deletion in _of(file)]


def _of(file: Path) -> list[Deletion]:
    rules = _CUDA if file.suffix == ".cu" else _TRITON
    mark = "//" if file.suffix == ".cu" else "#"
    found = {}
    for number, line in enumerate(file.read_text("utf-8").split("\n"), 1):
        code = line.split(mark)[0].rstrip()
        for kind, patterns in rules.items():
            for pattern, left in patterns:
                for match in re.finditer(pattern, code):
                    after = code[: match.start()] + match.expand(left) + code[match.end() :]
                    found[number, after] = Deletion(file, number, kind, line, after)
        for match in _CONDITIONS.finditer(code):
            conditions = match[1].split(" && ")
            for left_out in range(len(conditions)):
                others = " && ".join(conditions[:left_out] + conditions[left_out + 1 :])
                after = code[: match.start(1)] + others + code[match.end(1) :]
                found[number, after] = Deletion(file, number, "mask", line, after)
    return list(found.values())
