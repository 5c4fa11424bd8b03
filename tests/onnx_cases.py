"""ONNX's own node cases for Attention, run through this course's functions: an oracle from outside.

The cases come from the onnx package, built in memory. `answer` says a node's attributes in this course's terms.
"""

import inspect
from typing import NamedTuple

import numpy as np
import onnx
from onnx.backend.test.case.node import attention as onnx_attention

COUNT = 93
#: The order of ONNX's qk_matmul_output_mode.
STAGES = ("scaled", "capped", "masked", "weights")
#: Theirs computes 16-bit inputs in 16 bits; ours in 32. So the two may differ by a few units in the last place.
RTOL = {"float32": 1e-6, "float16": 2e-3, "bfloat16": 2**-6}
ATOL = {"float32": 1e-7, "float16": 2**-12, "bfloat16": 2**-9}


class Case(NamedTuple):
    name: str
    node: onnx.NodeProto
    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]


def cases() -> list[Case]:
    """All of them, from one seed."""
    found: list[Case] = []

    def record(node, inputs, outputs, name, **_):
        given = (n for n in node.input if n)
        asked = (n for n in node.output if n)
        found.append(Case(name, node, dict(zip(given, inputs, strict=True)), dict(zip(asked, outputs, strict=True))))

    original, state = onnx_attention.expect, np.random.get_state()
    onnx_attention.expect = record
    np.random.seed(93)
    try:
        for name, export in inspect.getmembers(onnx_attention.Attention, inspect.isfunction):
            if name.startswith("export_"):
                export()
    finally:
        onnx_attention.expect = original
        np.random.set_state(state)
    return found


def roles(node) -> tuple[list[str], list[str]]:
    """What each input and output of the node is, by its place in ONNX's schema."""
    inputs = ("Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen")
    outputs = ("Y", "present_key", "present_value", "qk_matmul_output")
    return (
        [role for role, name in zip(inputs, node.input, strict=False) if name],
        [role for role, name in zip(outputs, node.output, strict=False) if name],
    )


def answer(case: Case, path, to_path, from_path) -> dict[str, np.ndarray]:
    """The node's outputs, computed by `path.attention` and `path.attention_scores`."""
    in_roles, out_roles = roles(case.node)
    given = dict(zip(in_roles, case.inputs.values(), strict=True))
    said = {a.name: onnx.helper.get_attribute_value(a) for a in case.node.attribute}
    q, k, v = given["Q"], given["K"], given["V"]
    flat = q.ndim == 3
    if flat:
        q = from_path(path.split_heads(to_path(q), said["q_num_heads"]))
        k = from_path(path.split_heads(to_path(k), said["kv_num_heads"]))
        v = from_path(path.split_heads(to_path(v), said["kv_num_heads"]))
    if "past_key" in given:
        k = np.concatenate([given["past_key"], k], axis=2)
        v = np.concatenate([given["past_value"], v], axis=2)
    options = {name: to_path(x) for name, x in _mask_and_bias(given, said, q, k).items()}
    options |= {"scale": said.get("scale"), "softcap": said.get("softcap") or None}
    arrays = [to_path(x) for x in (q, k, v)]
    y = path.attention(*arrays, **options)
    stage = STAGES[said.get("qk_matmul_output_mode", 0)]
    found = {
        "Y": path.combine_heads(y) if flat else y,
        "present_key": arrays[1],
        "present_value": arrays[2],
        "qk_matmul_output": path.attention_scores(*arrays[:2], stage=stage, **options),
    }
    return {name: from_path(found[role]) for name, role in zip(case.outputs, out_roles, strict=True)}


def _mask_and_bias(given, said, q, k) -> dict[str, np.ndarray]:
    """ONNX's attn_mask, is_causal, windows and nonpad_kv_seqlen as one boolean mask, and a bias."""
    q_len, k_len = q.shape[2], k.shape[2]
    allowed = np.ones((1, 1, q_len, k_len), bool)
    options = {}
    if (mask := given.get("attn_mask")) is not None:
        forbidden = False if mask.dtype == bool else -np.inf
        mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, k_len - mask.shape[-1])], constant_values=forbidden)
        mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
        if mask.dtype == bool:
            allowed = allowed & mask
        else:
            options["bias"] = mask
    # Their queries start where the past ends; without a past they start at key 0, also where there are more keys.
    offset = np.array([given["past_key"].shape[2] if "past_key" in given else 0])
    if (lengths := given.get("nonpad_kv_seqlen")) is not None:
        allowed = allowed & (np.arange(k_len) < lengths[:, None, None, None])
        offset = lengths - q_len
    behind = np.arange(q_len)[:, None] + offset[:, None, None, None] - np.arange(k_len)
    if said.get("is_causal"):
        allowed = allowed & (behind >= 0)
    if (left := said.get("left_window_size", -1)) >= 0:
        allowed = allowed & (behind <= left)
    if (right := said.get("right_window_size", -1)) >= 0:
        allowed = allowed & (-behind <= right)
    return options | ({} if allowed.all() else {"mask": allowed})


def compare(name: str, got: np.ndarray, expected: np.ndarray) -> None:
    """Type, shape, then numbers; an infinity only where they have one."""
    assert got.dtype == expected.dtype, name
    assert got.shape == expected.shape, name
    kind = expected.dtype.name
    np.testing.assert_allclose(
        got.astype("float64"), expected.astype("float64"), rtol=RTOL[kind], atol=ATOL[kind], err_msg=name
    )
