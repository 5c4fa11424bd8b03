"""Every kernel with every configuration that ships, as what a compiler needs: no tensors, no GPU."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from manyheads.kernels.triton.backward_delta import delta_kernel
from manyheads.kernels.triton.backward_keys import key_gradients_kernel
from manyheads.kernels.triton.backward_queries import query_gradients_kernel
from manyheads.kernels.triton.configs import choose, columns
from manyheads.kernels.triton.forward import forward_kernel

#: head_dim and v_head_dim: one with tiles that fit, one padded, the two largest, and one where they differ.
DIMS = ((64, 64), (80, 80), (128, 128), (192, 128), (256, 256))
DTYPES = ("fp16", "bf16", "fp32")
#: What a call asks for beside q, k and v.
ASKED = (
    (),
    ("causal",),
    ("causal", "window", "lengths"),
    ("causal", "softcap"),
    ("mask",),
    ("bias", "mask", "causal", "softcap"),
)
#: Strides of q, k, v and what has their shape: the last is 1, rows begin at multiples of 16 elements.
STRIDES = ("i64:16", "i32:16", "i32:16", 1)
KERNELS = {"forward": forward_kernel, "queries": query_gradients_kernel, "keys": key_gradients_kernel}


class Variant(NamedTuple):
    """What `manyheads.kernels.aot.compile_triton_function` takes, beside the name that a report uses."""

    name: str
    function: Any
    signature: dict[str, Any]
    constants: dict[str, Any]
    num_warps: int
    num_stages: int


def variants(dtypes=DTYPES, dims=DIMS, asked=ASKED) -> Iterator[Variant]:
    """Kernels times dtypes times head dimensions times what is asked.

    Parameters
    ----------
    dtypes : of "fp16", "bf16", "fp32"
    dims : pairs (head_dim, v_head_dim)
    asked : tuples of "causal", "window", "lengths", "softcap", "mask", "bias"

    Yields
    ------
    Variant
    """
    for dtype in dtypes:
        for head_dim, v_head_dim in dims:
            width, itemsize = max(head_dim, v_head_dim), 4 if dtype == "fp32" else 2
            yield _delta(dtype, v_head_dim)
            for kernel, function in KERNELS.items():
                for options in asked:
                    demanding = not {"window", "softcap", "mask", "bias"}.isdisjoint(options)
                    config = choose(kernel, width, itemsize, demanding)
                    constants = {
                        "HEAD_DIM": head_dim,
                        "V_HEAD_DIM": v_head_dim,
                        "COLUMNS": columns(head_dim),
                        "V_COLUMNS": columns(v_head_dim),
                        "BLOCK_Q": config.block_q,
                        "BLOCK_K": config.block_k,
                    }
                    types = _types(dtype, options)
                    constants |= dict.fromkeys(n for n in function.arg_names if types.get(n, "") is None)
                    signature = {n: types[n] for n in function.arg_names if types.get(n) is not None}
                    name = f"{function.__name__} {dtype} {head_dim}/{v_head_dim} {'+'.join(options) or 'plain'}"
                    yield Variant(name, function, signature, constants, config.num_warps, config.num_stages)


def _delta(dtype: str, v_head_dim: int) -> Variant:
    signature = {
        "out": f"*{dtype}",
        "out_strides": STRIDES,
        "d_out": f"*{dtype}",
        "d_out_strides": STRIDES,
        "delta": "*fp32",
        "q_len": "i32",
    }
    constants = {"V_HEAD_DIM": v_head_dim, "V_COLUMNS": columns(v_head_dim), "BLOCK_Q": 64}
    return Variant(f"delta_kernel {dtype} {v_head_dim}", delta_kernel, signature, constants, 4, 3)


def _types(dtype: str, options: tuple[str, ...]) -> dict[str, Any]:
    """Of every parameter that any kernel has; None is what this call does not give."""
    types: dict[str, Any] = {}
    for name in ("q", "k", "v", "out", "d_out", "d_q", "d_k", "d_v"):
        types |= {name: f"*{dtype}", f"{name}_strides": STRIDES}
    for name, kind in (("mask", "*i1"), ("bias", f"*{dtype}")):
        given = name in options
        types |= {name: kind if given else None, f"{name}_strides": STRIDES if given else None}
    types |= dict.fromkeys(("lse", "delta"), "*fp32")
    types |= dict.fromkeys(("group", "q_len", "k_len"), "i32")
    return types | {
        "lengths": "*i32" if "lengths" in options else None,
        "left": "i32" if "window" in options else None,
        "right": "i32" if "causal" in options else None,
        "scale": "fp32",
        "softcap": "fp32" if "softcap" in options else None,
    }
