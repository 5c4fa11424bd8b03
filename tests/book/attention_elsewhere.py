"""Attention as torch and ONNX have it, called alike; ONNX's operator is run by its reference evaluator."""

import numpy as np
import onnx
import torch
from manyheads import reference, torch_path
from onnx import helper
from onnx.reference import ReferenceEvaluator
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from .notation_page import neutral, weights


def ours(q_len, k_len, mask=None, **options):
    """Where all scores are 0, the weights of each query; the next ones likewise."""
    return weights(q_len, k_len, mask=mask, **options)


def sdpa(q_len, k_len, mask=None, causal=False):
    q, k, v = (torch.from_numpy(x) for x in neutral(q_len, k_len))
    mask = None if mask is None else torch.as_tensor(mask)
    return scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)[0, 0].numpy()


def mha(q_len, k_len, mask=None, causal=False):
    module = nn.MultiheadAttention(4, 1, batch_first=True)
    q, k = torch.zeros(1, q_len, 4), torch.zeros(1, k_len, 4)
    mask = None if mask is None else torch.as_tensor(mask)
    return module(q, k, k, attn_mask=mask, is_causal=causal)[1][0].detach().numpy()


def run_onnx(q, k, v, mask=None, past=0, **attributes):
    """ONNX's operator by its reference evaluator; of the keys, the first `past` come as the past."""
    given = {"Q": q, "K": k[:, :, past:], "V": v[:, :, past:]}
    given |= {} if mask is None else {"attn_mask": np.asarray(mask)}
    given |= {"past_key": k[:, :, :past], "past_value": v[:, :, :past]} if past else {}
    inputs = [name if name in given else "" for name in ("Q", "K", "V", "attn_mask", "past_key", "past_value")]
    info, kind = helper.make_tensor_value_info, helper.np_dtype_to_tensor_dtype
    typed = [info(name, kind(x.dtype), x.shape) for name, x in given.items()]
    y = info("Y", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph([helper.make_node("Attention", inputs, ["Y"], **attributes)], "g", typed, [y])
    opset = helper.make_opsetid("", onnx.defs.get_schema("Attention").since_version)
    return ReferenceEvaluator(helper.make_model(graph, opset_imports=[opset])).run(None, given)[0]


def by_onnx(q_len, k_len, mask=None, causal=False, **options):
    return run_onnx(*neutral(q_len, k_len), mask=mask, is_causal=int(causal), **options)[0, 0]


def random_call(batch=2, heads=3, n=4, m=5, d=6):
    """Queries, keys and values with sizes that are pairwise different."""
    rng = np.random.default_rng(0)
    shapes = (batch, heads, n, d), (batch, heads, m, d), (batch, heads, m, d)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def on_arrays(name):
    """The attention of a library, as a function of arrays."""
    if name == "here":
        return reference.attention
    if name == "ONNX":
        return run_onnx

    def call(q, k, v, mask=None):
        mask = None if mask is None else torch.from_numpy(mask)
        return scaled_dot_product_attention(*map(torch.from_numpy, (q, k, v)), attn_mask=mask).numpy()

    return call


def module_and_ours(**options):
    """torch's module, and our layer with its weights."""
    module = nn.MultiheadAttention(4, 2, batch_first=True, **options)
    return module, torch_path.MultiHeadAttention.from_torch(module)
