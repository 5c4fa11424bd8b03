"""What is measured: sizes only, nothing that computes."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

#: Every prefill workload has about this many tokens, whatever the length: as many blocks of work for the GPU.
TOKENS = 16_384
LENGTHS = (512, 1024, 2048, 4096, 8192, 16_384)
DECODE_LENGTHS = (1024, 4096, 16_384)


@dataclass(frozen=True)
class Workload:
    """One call of attention. `group` names the panel of the plot that it belongs to."""

    group: str
    direction: Literal["forward", "backward", "decode"]
    batch: int
    heads: int
    kv_heads: int
    q_len: int
    k_len: int
    head_dim: int
    v_head_dim: int
    causal: bool
    dtype: str

    @property
    def name(self) -> str:
        """In words, for the terminal."""
        heads = f"{self.heads}/{self.kv_heads}" if self.heads != self.kv_heads else f"{self.heads}"
        width = f"{self.head_dim}/{self.v_head_dim}" if self.head_dim != self.v_head_dim else f"{self.head_dim}"
        lengths = f"{self.k_len}" if self.q_len == self.k_len else f"{self.q_len} to {self.k_len}"
        causal = ", causal" if self.causal else ""
        return f"{self.group}, {self.direction}: {lengths}, batch {self.batch}, heads {heads} of {width}{causal}"

    def sizes(self) -> dict[str, Any]:
        """For the JSON file."""
        return asdict(self)


def plan() -> list[Workload]:
    """All of it, the shortest lengths first: what a slow machine leaves out are the longest."""
    return sorted([*_prefill(LENGTHS, TOKENS), *_decode(DECODE_LENGTHS, (1, 64))], key=lambda w: w.k_len)


def tiny() -> list[Workload]:
    """The same groups at sizes that a CPU can walk through interpreted; float16, since bfloat16 is wrong there."""
    prefill = [_smaller(w) for w in _prefill((40,), 40)]
    return prefill + [_smaller(w) for w in _decode((72,), (1, 2))]


def _prefill(lengths: tuple[int, ...], tokens: int) -> list[Workload]:
    found = []
    for direction in ("forward", "backward"):
        for n in lengths:
            batch = max(1, tokens // n)
            for causal in (False, True):
                for width in (64, 128):
                    heads = 2048 // width
                    found.append(Workload(f"d {width}", direction, batch, heads, heads, n, n, width, width, causal,
                                          "bfloat16"))  # fmt: skip
            found.append(Workload("GQA", direction, batch, 32, 8, n, n, 128, 128, True, "bfloat16"))
            found.append(Workload("MLA", direction, batch, 16, 16, n, n, 192, 128, True, "bfloat16"))
        # The course's CUDA C++ kernels compute in float32: a panel of their own, without tensor cores.
        for n in (n for n in lengths if n <= 2048):
            found.append(Workload("float32", direction, max(1, tokens // 4 // n), 8, 2, n, n, 64, 64, True, "float32"))
    return found  # type: ignore[return-value]


def _decode(lengths: tuple[int, ...], batches: tuple[int, ...]) -> list[Workload]:
    return [
        Workload("decode", "decode", batch, 32, 8, 1, n, 128, 128, True, "bfloat16")
        for n in lengths
        for batch in batches
    ]


def _smaller(w: Workload) -> Workload:
    """Few heads: interpreted, every program takes milliseconds. Query heads still share a K/V head where they did."""
    heads, kv_heads = (3, 1) if w.heads != w.kv_heads else (2, 2)
    narrow = {64: 16, 128: 32, 192: 48}
    dtype = "float16" if w.dtype == "bfloat16" else w.dtype
    return Workload(
        w.group, w.direction, w.batch, heads, kv_heads, w.q_len, w.k_len, narrow[w.head_dim], narrow[w.v_head_dim],
        w.causal, dtype,
    )  # fmt: skip
