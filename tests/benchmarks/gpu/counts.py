"""How much work a workload is: floating-point operations, and bytes that cannot be left unread."""

from manyheads.costs.pairs import attended_pairs

from .workloads import Workload

ITEM = {"bfloat16": 2, "float16": 2, "float32": 4}


def flops(w: Workload) -> int:
    """Of the matrix products alone, two for each multiply-accumulate; a forbidden pair is no work.

    Forward: q k^T and weights v. Backward: both score products (q k^T again, and dO v^T), then dV, dQ and dK;
    where the widths are the same, 2.5 times the forward pass.
    """
    pairs = w.batch * w.heads * attended_pairs(w.q_len, w.k_len, w.causal)
    if w.direction == "backward":
        return 2 * pairs * (3 * w.head_dim + 2 * w.v_head_dim)
    return 2 * pairs * (w.head_dim + w.v_head_dim)


def read_and_written(w: Workload) -> int:
    """Bytes of the inputs and outputs, each once. For decoding nearly all of them are keys and values.

    Backward reads q, k, v, the output and its gradient, and writes three gradients; the row sums are left out.
    """
    item = ITEM[w.dtype]
    queries = w.batch * w.heads * w.q_len * w.head_dim
    output = w.batch * w.heads * w.q_len * w.v_head_dim
    keys = w.batch * w.kv_heads * w.k_len * w.head_dim
    values = w.batch * w.kv_heads * w.k_len * w.v_head_dim
    if w.direction == "backward":
        return item * (2 * (queries + keys + values) + 2 * output)
    return item * (queries + keys + values + output)


def memory(w: Workload) -> int:
    """Bytes that the workload holds at its peak, roughly: what is asked before anything is allocated."""
    return (3 if w.direction == "backward" else 2) * read_and_written(w)


def rates(w: Workload, milliseconds: float) -> dict[str, float]:
    """TFLOP/s (1e12) and GB/s (1e9)."""
    return {
        "tflops": flops(w) / milliseconds / 1e9,
        "gb_per_s": read_and_written(w) / milliseconds / 1e6,
    }
