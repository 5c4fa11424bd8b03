"""The notation page's tables of other libraries, tried on those that are installed: torch and ONNX."""

import inspect

import numpy as np
import onnx
import pytest
import torch
from manyheads import reference, torch_path
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from .attention_elsewhere import by_onnx, mha, on_arrays, ours, random_call, run_onnx, sdpa
from .notation_page import near, says, section, tables

LIBRARIES = {"here": ours, "SDPA": sdpa, "MHA": mha, "ONNX": by_onnx}
TOP_LEFT, BOTTOM_RIGHT = [[1, 0, 0, 0], [1 / 2, 1 / 2, 0, 0]], [[1 / 3, 1 / 3, 1 / 3, 0], [1 / 4] * 4]


def word(found, **expected) -> str:
    """The words for what was found."""
    (it,) = [words.replace("_", " ") for words, rows in expected.items() if near(found, rows)]
    return it


def true_means(name) -> str:
    return word(LIBRARIES[name](1, 2, mask=np.array([[True, False]])), may_attend=[[1, 0]], must_not=[[0, 1]])


def causal_corner(name) -> str:
    corners = {"top_left": TOP_LEFT, "bottom_right": BOTTOM_RIGHT}
    if name == "MHA":
        with pytest.raises(RuntimeError, match="hint"):
            mha(2, 4, causal=True)
        return "a hint only"
    corner = word(LIBRARIES[name](2, 4, causal=True), **corners)
    if name == "ONNX":
        with_past = word(by_onnx(2, 4, causal=True, past=2), **corners)
        assert (corner, with_past) == ("top left", "bottom right")
        return "where the past ends"
    return corner


def empty_row(name) -> str:
    forbidden = np.full((1, 2), name == "MHA")
    row = LIBRARIES[name](1, 2, mask=forbidden)
    return "NaN or 0" if np.isnan(row).all() else word(row, **{"0": [[0, 0]]})


def float_mask(name) -> str:
    mask = np.log(np.array([[2.0, 1.0]], np.float32))
    try:
        return word(LIBRARIES[name](1, 2, mask=mask), is_added=[[2 / 3, 1 / 3]])
    except TypeError as refused:
        assert "bias=" in str(refused)
        return "refused: `bias=`"


def offers(name) -> str:
    """The arguments of a library's function."""
    return {
        "here": str(inspect.signature(reference.attention)),
        "SDPA": (scaled_dot_product_attention.__doc__ or "").split(")")[0],
        "MHA": str(inspect.signature(nn.MultiheadAttention.forward)),
        "ONNX": " ".join(onnx.defs.get_schema("Attention").attributes),
    }[name]


def window_counts(name) -> str:
    if "window" not in offers(name):
        return "none"
    if name == "here":
        seen = (ours(6, 6, causal=True, window=2) > 0).sum(-1).max()
        return {2: "$W$"}[int(seen)]
    seen = (by_onnx(6, 6, left_window_size=2, right_window_size=1) > 0).sum(-1).max()
    return {2 + 1 + 1: "left + 1 + right"}[int(seen)]


def softcap(name) -> str:
    if "softcap" not in offers(name):
        return "none"
    mask = np.array([[True, False]])
    row = ours(1, 2, mask=mask, softcap=1.0) if name == "here" else by_onnx(1, 2, mask=mask, softcap=1.0)
    return word(row, before_the_mask=[[1, 0]])


def axes_of_a_query(name) -> str:
    if name == "MHA":
        module, x = nn.MultiheadAttention(6, 2), torch.randn(3, 4, 6)
        layer = torch_path.MultiHeadAttention.from_torch(module)
        assert near(module(x, x, x)[0].detach(), layer(x.swapaxes(0, 1)).detach().swapaxes(0, 1))
        return "`nbD`"
    assert near(on_arrays(name)(*random_call()), reference.attention(*random_call()))
    return "`bhnd`"


def mask_of_three_axes(name) -> str:
    rng = np.random.default_rng(0)
    if name == "MHA":
        module, x = nn.MultiheadAttention(6, 2, batch_first=True), torch.randn(3, 4, 6)
        layer = torch_path.MultiHeadAttention.from_torch(module)
        may = torch.from_numpy(rng.random((3, 2, 4, 4)) < 0.8) | torch.eye(4, dtype=torch.bool)
        theirs = module(x, x, x, attn_mask=reference.flip_mask(may).reshape(6, 4, 4))[0]
        assert near(theirs.detach(), layer(x, mask=may).detach())
        return "`(bh)nm`"
    q, k, v = random_call()
    of_heads = rng.random((3, 4, 5)) < 0.7
    try:
        got = on_arrays(name)(q, k, v, mask=of_heads)
    except ValueError:
        return "refused"
    assert near(got, reference.attention(q, k, v, mask=of_heads[None]))
    with pytest.raises((RuntimeError, ValueError)):
        on_arrays(name)(q, k, v, mask=np.ones((2, 4, 5), bool))
    return "`hnm`"


def nan_in_an_unread_slot(name) -> str:
    if name == "MHA":
        module, x = nn.MultiheadAttention(6, 2, batch_first=True), torch.ones(1, 4, 6)
        x[:, 3] = torch.nan
        padding = torch.tensor([[False, False, False, True]])
        outcomes = [module(x, x, x, key_padding_mask=padding, need_weights=w)[0] for w in (True, False)]
        return "comes out" if all(out[0, :3].isnan().all() for out in outcomes) else "stays there"
    q, k, v = random_call()
    k[:, :, 4] = v[:, :, 4] = np.nan
    out = on_arrays(name)(q, k, v, mask=np.broadcast_to(np.arange(5) < 4, (4, 5)).copy())
    return "comes out" if np.isnan(out).all() else {True: "stays there"}[bool(np.isfinite(out).all())]


TRIED = {
    "True means": true_means,
    "causal corner": causal_corner,
    "empty row": empty_row,
    "float mask": float_mask,
    "window counts": window_counts,
    "softcap": softcap,
    "axes of a query": axes_of_a_query,
    "mask of 3 axes": mask_of_three_axes,
    "NaN in an unread slot": nan_in_an_unread_slot,
}


def differences() -> dict[str, dict[str, str]]:
    """What the page's tables say: question -> library -> words."""
    found: dict[str, dict[str, str]] = {}
    for header, *rows in tables(section("How other libraries differ")):
        for row in rows:
            for question, words in zip(header[1:], row[1:], strict=True):
                found.setdefault(question, {})[row[0].strip("*")] = words
    return found


def test_every_question_is_answered_for_every_library():
    assert differences().keys() == TRIED.keys()
    for answers in differences().values():
        assert list(answers) == ["here", "SDPA", "MHA", "ONNX", "jax", "Flash"]


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("question", TRIED)
def test_a_library_does_what_the_table_says(question, name):
    assert differences()[question][name] == TRIED[question](name)


def test_all_that_share_heads_share_them_in_groups():
    says(r"On one thing all agree that let heads share keys and values: query head $i$ reads key/value head")
    q, k = np.zeros((1, 6, 1, 4), np.float32), np.zeros((1, 2, 1, 4), np.float32)
    v = np.array([10, 20], np.float32).reshape(1, 2, 1, 1)
    torchs = scaled_dot_product_attention(*map(torch.from_numpy, (q, k, v)), enable_gqa=True).numpy()
    for got in (reference.attention(q, k, v), torchs, run_onnx(q, k, v)):
        assert got.ravel().tolist() == [10, 10, 10, 20, 20, 20]
