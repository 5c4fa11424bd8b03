"""The notation page held to the library: its names, its shapes, and what its cells print."""

import ast
import contextlib
import functools
import inspect
import io
import re
import warnings

import numpy as np
import pytest
import torch
from manyheads import AttentionConfig, reference, torch_path
from manyheads.reference import mask_conversions, weight_conversions

from ..helpers import ROOT
from .notation_page import CELLS, PROSE, code, near, says, section, tables

LIBRARY = ROOT / "lib" / "manyheads"

#: Arguments that need no entry: what Python and torch call so, and names that only their own function uses.
NOT_NOTATION = {
    "self", "options", "placed", "dtype", "axis", "masks", "parts", "w", "b", "weight", "qkv",
    "source", "target", "left", "right", "d_out", "d_weights",
}  # fmt: skip


def names() -> list[str]:
    of_names = [table for table in tables(section("Names and symbols")) if table[0][0] == "name in code"]
    assert len(of_names) == 3
    return [name for table in of_names for row in table[1:] for name in code(row[0])]


def names_in_the_library() -> set[str]:
    """Parameters, fields, functions, properties, and axes that signatures name."""
    found = set()
    folders = (LIBRARY / name for name in ("reference", "torch_path", "costs"))
    for path in [LIBRARY / "config.py", *(path for folder in folders for path in folder.rglob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
                for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
                    found.add(argument.arg)
                    strings = ast.walk(argument.annotation) if argument.annotation else ()
                    found |= {w for s in strings if isinstance(s, ast.Constant) for w in str(s.value).split()}
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return found


def test_every_name_exists_and_stands_there_once():
    assert set(names()) <= names_in_the_library()
    assert len(names()) == len(set(names()))


def test_every_argument_of_the_reference_is_there():
    used = set(AttentionConfig.__dataclass_fields__) | set(reference.Cached._fields)
    used |= set(inspect.signature(torch_path.attention).parameters)
    for name in reference.__all__:
        x = getattr(reference, name)
        functions = [x.__init__, getattr(x, "append", x.__init__)] if inspect.isclass(x) else [x]
        for function in filter(inspect.isfunction, functions):
            used |= {p for p in inspect.signature(function).parameters if not p.startswith("_")}
    assert used - NOT_NOTATION <= set(names()), sorted(used - NOT_NOTATION - set(names()))


def test_sizes_have_symbols_of_their_own():
    sizes, arrays, _ = tables(section("Names and symbols"))
    symbols = [row[1] for row in sizes[1:] + arrays[1:]]
    assert len(symbols) == len(set(symbols))


# Shapes: pairwise different sizes

SIZES = {
    "batch": 2, "seq": 4, "q_len": 4, "k_len": 5, "heads": 6, "n_heads": 6, "kv_heads": 3, "n_kv_heads": 3,
    "d_model": 17, "head_dim": 8, "v_head_dim": 7, "latent_rank": 9, "rope_head_dim": 10,
}  # fmt: skip
#: After a cache has seen two chunks, of which the second is padded.
CACHED = {**SIZES, "new": 3, "q_len": 3, "k_len": 7}


def zeros(*sizes: str | int, of=SIZES):
    return np.zeros([of.get(size, size) for size in sizes], np.float32)


def cached(kind, *appended):
    """What a cache gives for a second chunk, where the sequences are not in step."""
    cache = kind(**{name: SIZES[name] for name in inspect.signature(kind).parameters if name in SIZES}, capacity=20)
    cache.append(*(zeros("batch", *axes, of={**SIZES, "new": 4}) for axes in appended))
    return cache.append(*(zeros("batch", *axes, of=CACHED) for axes in appended), lengths=np.array([3, 1]))


def shapes_of_tokens_and_masks() -> dict:
    s = SIZES
    q, k, v = zeros("batch", "heads", "q_len", "head_dim"), None, None
    k, v = zeros("batch", "kv_heads", "k_len", "head_dim"), zeros("batch", "kv_heads", "k_len", "v_head_dim")
    out, weights = reference.attention(q, k, v, return_weights=True)
    _, lse = reference.blocked_attention(q, k, v, return_lse=True)
    x = zeros("batch", "seq", "d_model")
    w_q, w_k = zeros("d_model", s["n_heads"] * 8), zeros("d_model", s["n_kv_heads"] * 8)
    w_qkv = reference.merge_qkv_weights(w_q, w_k, w_k, s["n_heads"], s["n_kv_heads"])
    assert [part.shape[1] for part in reference.split_qkv(x @ w_qkv, s["n_heads"], s["n_kv_heads"])] == [6, 3, 3]
    return {
        "tokens": x,
        "queries": reference.fused_projection(zeros("batch", "q_len", "d_model"), w_q, s["n_heads"]),
        "keys": k,
        "values": v,
        "scores, weights": weights,
        "what attention gives": out,
        "log-sum-exp": lse,
        "a fused product": x @ w_qkv,
        "a mask or a bias": reference.attention_scores(q, k)[0, 0],
        "causal mask, window": reference.causal_mask(s["q_len"], s["k_len"]),
        "padding mask": reference.padding_mask(np.array([5, 1]), s["k_len"]),
        "ALiBi's bias": reference.alibi_bias(s["n_heads"], s["q_len"], s["k_len"]),
    }


def shapes_of_weights() -> dict:
    common = {name: SIZES[name] for name in ("d_model", "n_heads", "head_dim", "v_head_dim")}
    gqa = torch_path.GroupedQueryAttention(AttentionConfig(**common, n_kv_heads=SIZES["n_kv_heads"]), bias=True)
    mla = torch_path.LatentAttention(AttentionConfig(**common, latent_rank=9, rope_head_dim=10))
    assert gqa.w_o.shape == mla.w_o.shape
    return {
        "the heads' matrices, stacked": reference.unpack_heads(gqa.w_q.detach().numpy(), SIZES["n_heads"]),
        "the same side by side, $W_Q$": gqa.w_q,
        "$W_K$": gqa.w_k,
        "$W_V$": gqa.w_v,
        "$W_O$": gqa.w_o,
        "a projection's bias": gqa.b_q,
        "MLA's $W_Q$": mla.w_q,
        r"MLA's $W_\text{down}$": mla.w_down,
        "MLA's norm": mla.norm,
        r"MLA's $W_\text{up}$": mla.w_up,
    }


def shapes_of_caches() -> dict:
    kv = cached(reference.KVCache, ("kv_heads", "new", "head_dim"), ("kv_heads", "new", "v_head_dim"))
    latents = cached(reference.LatentCache, ("new", "latent_rank"), ("new", "rope_head_dim"))
    return {
        "a cache's mask": kv.mask,
        "a `KVCache`'s keys": kv.keys,
        "a `KVCache`'s values": kv.values,
        "latents, appended": zeros("batch", "new", "latent_rank", of=CACHED),
        "rotary keys, appended": zeros("batch", "new", "rope_head_dim", of=CACHED),
        "a `LatentCache`'s keys": latents.keys,
        "a `LatentCache`'s values": latents.values,
        "`key_positions`": latents.key_positions,
        "`query_positions`": latents.query_positions,
    }


def test_every_shape_is_the_librarys():
    said = {row[0]: code(row[1]) for table in tables(section("Shapes")) for row in table[1:]}
    made = {**shapes_of_tokens_and_masks(), **shapes_of_weights()}
    in_caches = shapes_of_caches()
    assert said.keys() == made.keys() | in_caches.keys()
    for what, array in {**made, **in_caches}.items():
        sizes = CACHED if what in in_caches else {**SIZES, "d_out": SIZES["n_heads"] * SIZES["head_dim"]}
        assert eval(said[what][0], {}, dict(sizes)) == tuple(array.shape), what


def test_a_mask_and_a_bias_fit_as_the_page_says():
    says("`(q_len, k_len)`, or four axes that broadcast to `(batch, heads, q_len, k_len)`")
    says("A mask or bias with two axes is `(q_len, k_len)`, always. Three axes are refused.")
    q, k = zeros("batch", "heads", "q_len", "head_dim"), zeros("batch", "kv_heads", "k_len", "head_dim")
    for shape in [(4, 5), (2, 6, 4, 5), (2, 1, 4, 5), (1, 6, 1, 5), (2, 1, 1, 5), (1, 1, 1, 1)]:
        reference.attention_scores(q, k, mask=np.ones(shape, bool), bias=np.zeros(shape, np.float32))
    for shape in [(5,), (1, 5), (4, 1), (2, 4, 5), (6, 4, 5), (2, 5)]:
        with pytest.raises(ValueError, match="mask must be"):
            reference.attention_scores(q, k, mask=np.ones(shape, bool))
        with pytest.raises(ValueError, match="bias must be"):
            reference.attention_scores(q, k, bias=np.zeros(shape, np.float32))


def test_the_parts_of_mlas_matrices_stand_in_the_order_that_the_page_says():
    says("each head of $W_Q$ has first the part without position, then the rotary part")
    says(r"$W_\text{down}$ gives first the latent, then the rotary key; each head of $W_\text{up}$ has first the key, "
         "then the value.")  # fmt: skip
    rng = np.random.default_rng(0)
    n_heads, d, e, r, dv = 3, 4, 2, 5, 6
    x = rng.standard_normal((1, 7, 8))
    w_q, w_down = rng.standard_normal((8, n_heads * (d + e))), rng.standard_normal((8, r + e))
    w_up, w_o = rng.standard_normal((r, n_heads * (d + dv))), np.eye(n_heads * dv)
    latent = reference.rms_norm(x @ w_down[:, :r], np.ones(r))
    q, up = reference.split_heads(x @ w_q, n_heads), reference.split_heads(latent @ w_up, n_heads)
    turned = reference.apply_rotary(q[..., d:]), reference.apply_rotary((x @ w_down[:, r:])[:, None])
    q = np.concatenate([q[..., :d], turned[0]], axis=-1)
    k = np.concatenate([up[..., :d], np.repeat(turned[1], n_heads, axis=1)], axis=-1)
    says("In MLA it is `(head_dim + rope_head_dim) ** -0.5`, in the absorbed form too")
    out = reference.attention(q, k, up[..., d:], scale=(d + e) ** -0.5)
    for absorbed in (False, True):
        got = reference.mla(x, w_q, w_down, np.ones(r), w_up, w_o, n_heads=n_heads, absorbed=absorbed)
        assert near(got, reference.combine_heads(out))


# The cells


@functools.cache
def printed() -> str:
    """What the cells print, run as the book runs them: from the top, in one namespace, without a warning."""
    output, namespace = io.StringIO(), {}
    with (
        torch.random.fork_rng(),
        torch.set_grad_enabled(True),  # afterwards as it was, whatever the cells set
        contextlib.redirect_stdout(output),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        for cell in CELLS:
            exec(compile(cell, "book/notation.md", "exec"), namespace)
    return output.getvalue()


def test_every_conversion_agrees():
    assert "DIFFER" not in printed()
    calls = len(re.findall(r"^ *agree\(", "\n".join(CELLS), re.M))
    assert calls >= 20
    assert len(re.findall("^agree: ", printed(), re.M)) == calls + 2  # two stand in a loop that runs twice


def test_the_cells_print_what_the_prose_says_of_them():
    for expected in (
        "as it is\n[[0.  0.5 0.5]\n [0.  0.  1. ]\n [nan nan nan]]\n",
        "MHA, weights    [nan nan nan nan]\nMHA, no weights [7. 7. 7. 7.]\nMHA, evaluation [nan nan nan nan]\n",
        "our layer       [7. 7. 7. 7.]\n",
        "sequence 1 head 0 [1. 0. 0.]\n",
        "here [10. 10. 10. 20. 20. 20.]\nSDPA [10. 10. 10. 20. 20. 20.]\ntiled [10. 20. 10. 20. 10. 20.]\n",
        "[[nan nan nan]\n [nan nan nan]] the second query may\n",
        "nn.Linear (3, 2) ours (2, 3)\n",
        "concatenated q [0 1] k [2 3] v [4 5]\n",
        "per_head     q [0 3] k [1 4] v [2 5]\n",
    ):
        assert expected in printed(), expected


def test_every_converter_is_shown_at_work():
    wanted = {"split_qkv", "merge_qkv", "convert_rotary_pairing"}
    for module in (mask_conversions, weight_conversions):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                wanted.add(name)
    assert len(wanted) >= 14
    called = set(re.findall(r"\b(?:reference|torch_path)\.(\w+)\(", "\n".join(CELLS)))
    assert wanted <= called, wanted - called
    assert not {name for name in called if not hasattr(reference, name) and not hasattr(torch_path, name)}


def test_names_of_the_library_in_the_prose_exist():
    ours = r"`(\w+_mask|\w+_neighbours|\w+_heads|\w+_qkv\w*|\w+_bias|attention_scores|\w+Cache)`"
    for name in re.findall(ours, PROSE):
        assert hasattr(reference, name) or name in {*names(), "attn_mask", "key_padding_mask"}, name
