"""Calls of the Triton kernels, small and awkward, and what they must give."""

import random
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import torch
from manyheads import reference
from manyheads.kernels.triton import attention, configs

#: Beside twice the error of the same sums by torch: what one rounding more may make.
FLOOR = {torch.float16: 2e-4, torch.float32: 1e-6, torch.float64: 1e-14}


class Case(NamedTuple):
    """One call. `lengths`, `mask` and `bias` name a kind; see `options_of`."""

    q_len: int
    k_len: int
    dims: tuple[int, int] = (16, 24)
    heads: tuple[int, int] = (1, 1)
    batch: int = 1
    dtype: torch.dtype = torch.float64
    strides: str = "contiguous"
    causal: bool = False
    window: int | tuple | None = None
    lengths: str = ""
    mask: str = ""
    bias: str = ""
    softcap: float | None = None
    scale: float | None = None
    blocks: tuple[int, int] = (16, 32)


def inputs(case: Case):
    """q, k, v and the gradient of the output, with NaN in memory around them and in slots that nobody sees."""
    generator = torch.Generator().manual_seed(case.q_len * 1000 + case.k_len)
    heads, kv_heads = case.heads
    head_dim, v_dim = case.dims

    def tensor(number, length, dim, kind):
        shape = (case.batch, number, length, dim)
        values = torch.randn(shape, generator=generator, dtype=torch.float64).to(case.dtype)
        return laid_out(values, kind)

    q = tensor(heads, case.q_len, head_dim, case.strides.replace("expanded", "contiguous"))
    k = tensor(kv_heads, case.k_len, head_dim, case.strides)
    v = tensor(kv_heads, case.k_len, v_dim, case.strides)
    d_out = tensor(heads, case.q_len, v_dim, "contiguous" if case.strides == "contiguous" else "last is not 1")
    return q, k, v, d_out


def laid_out(x, kind: str):
    """The values in memory that lies otherwise than their shape says, NaN between them."""
    batch, heads, length, dim = x.shape
    if kind == "contiguous":
        return x
    if kind == "expanded":  # one K/V head for all, by a stride of 0
        return x[:, :1].expand(batch, heads, length, dim)
    if kind == "packed":  # a slice of a fused projection
        packed = x.new_full((batch, length, 3, heads, dim), torch.nan)
        packed[:, :, 1] = x.transpose(1, 2)
        return packed[:, :, 1].transpose(1, 2)
    if kind == "last is not 1":
        wide = x.new_full((batch, heads, dim + 1, 2 * length + 3), torch.nan)
        wide[:, :, 1:, 2 : 2 + 2 * length : 2] = x.transpose(2, 3)
        return wide[:, :, 1:, 2 : 2 + 2 * length : 2].transpose(2, 3)
    assert kind == "inside NaN"
    buffer = x.new_full((batch + 1, heads + 1, length + 5, dim + 3), torch.nan)
    buffer[1:, :heads, 2 : 2 + length, 1 : 1 + dim] = x
    return buffer[1:, :heads, 2 : 2 + length, 1 : 1 + dim]


def options_of(case: Case) -> dict:
    """Tensors for what the case names."""
    generator = torch.Generator().manual_seed(1)
    batch, heads, q_len, k_len = case.batch, case.heads[0], case.q_len, case.k_len
    lengths = mask = bias = None
    if case.lengths:
        lengths = torch.tensor([k_len // 2 + 1, 0, k_len][:batch])
    if case.mask:
        shape = {"full": (batch, heads, q_len, k_len), "two axes": (q_len, k_len), "keys": (batch, 1, 1, k_len)}
        mask = torch.rand(shape[case.mask], generator=generator) < 0.6
        if case.mask == "full":
            mask[:, :, q_len // 2] = False  # a query without keys
            mask[..., k_len // 3] = False  # a key that nobody sees
    if case.bias:
        shape = {"heads": (1, heads, q_len, k_len), "two axes": (q_len, k_len), "infinite": (batch, 1, q_len, k_len)}
        bias = torch.randn(shape[case.bias], generator=generator, dtype=torch.float64).to(case.dtype)
        if case.bias == "infinite":
            bias[torch.rand(bias.shape, generator=generator) < 0.3] = -torch.inf
            bias[:, :, -1] = -torch.inf
            bias[..., k_len // 3] = -torch.inf  # a key that nobody sees
    return {"lengths": lengths, "mask": mask, "bias": bias}


def computed(case: Case, q, k, v, d_out):
    """Output, log-sum-exp and gradients by the kernels."""
    q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
    options = options_of(case)
    with configs.blocks(*case.blocks):
        out, lse = attention(
            q, k, v, causal=case.causal, window=case.window, softcap=case.softcap, scale=case.scale, return_lse=True,
            **options,
        )  # fmt: skip
        gradients = torch.autograd.grad(out, (q, k, v), d_out)
    return out.detach(), lse, *gradients


def allowed(case: Case) -> np.ndarray:
    """Who sees whom, from the reference's masks: (batch, heads, q_len, k_len)."""
    options = options_of(case)
    full = (case.batch, case.heads[0], case.q_len, case.k_len)
    masks = [np.ones(full, bool)]
    window = case.window
    if case.causal and not isinstance(window, int):
        masks.append(reference.causal_mask(case.q_len, case.k_len)[None, None])
    if window is not None:
        masks.append(reference.sliding_window_mask(case.q_len, case.k_len, window)[None, None])
    if options["lengths"] is not None:
        masks.append(reference.padding_mask(options["lengths"].numpy(), case.k_len))
    if options["mask"] is not None:
        masks.append(np.broadcast_to(options["mask"].numpy(), full))
    if options["bias"] is not None:
        masks.append(np.broadcast_to(~torch.isneginf(options["bias"]).numpy(), full))
    return reference.combine_masks(*masks)


def expected(case: Case, q, k, v, d_out):
    """Output and gradients by the reference, in float64."""
    q, k, v, d_out = (x.double().numpy() for x in (q, k, v, d_out))
    bias = options_of(case)["bias"]
    options = {
        "mask": allowed(case),
        "bias": None if bias is None else bias.double().numpy(),
        "softcap": case.softcap,
        "scale": case.scale,
    }
    gradients = reference.attention_backward(d_out, q, k, v, **options)
    return reference.attention(q, k, v, **options), gradients.q, gradients.k, gradients.v


def by_torch(case: Case, q, k, v, d_out):
    """The same sums in the case's own dtype, step by step: what a rounding error may be measured by."""
    leaves = [x.detach().clone().requires_grad_() for x in (q, k, v)]
    group = case.heads[0] // case.heads[1]
    k_all, v_all = (x.repeat_interleave(group, 1) for x in leaves[1:])
    scores = leaves[0] @ k_all.transpose(2, 3) * (case.scale or case.dims[0] ** -0.5)
    if case.softcap is not None:
        scores = case.softcap * torch.tanh(scores / case.softcap)
    bias = options_of(case)["bias"]
    if bias is not None:
        scores = scores + torch.where(torch.isneginf(bias), 0.0, bias)
    seen = torch.from_numpy(allowed(case))
    weights = torch.softmax(scores.masked_fill(~seen, -1e4 if case.dtype == torch.float16 else -1e30), -1)
    out = (weights * seen) @ v_all
    return out.detach(), *torch.autograd.grad(out, leaves, d_out)


def check(case: Case) -> None:
    """Kernels against the reference: at most twice torch's own error in that dtype; NaN where nobody looks."""
    q, k, v, d_out = inputs(case)
    wanted, plain = expected(case, q, k, v, d_out), by_torch(case, q, k, v, d_out)
    if case.strides != "expanded":
        seen = allowed(case).any(2).reshape(case.batch, case.heads[1], -1, case.k_len).any(2)
        unseen = ~torch.from_numpy(seen)
        k[unseen] = torch.nan
        v[unseen] = torch.nan
    out, lse, *gradients = computed(case, q, k, v, d_out)
    assert out.dtype == case.dtype
    for name, got, want, by_hand in zip(("out", "d_q", "d_k", "d_v"), (out, *gradients), wanted, plain, strict=True):
        want = torch.from_numpy(want)
        assert got.shape == want.shape, name
        assert got.isfinite().all(), name
        error = (got.double() - want).abs().max().item()
        limit = 2 * (by_hand.double() - want).abs().max().item() + FLOOR[case.dtype] * max(1, want.abs().max())
        assert error <= limit, f"{name} is off by {error:.1e}, {limit:.1e} is allowed: {case}"
    empty = ~torch.from_numpy(allowed(case).any(-1))
    assert (lse == -torch.inf).equal(empty)
    assert (out[empty] == 0).all()


def pairwise(seed: int = 0, **choices) -> list[dict]:
    """Few rows in which every two values of different parameters meet at least once."""
    draw = random.Random(seed)
    names = list(choices)
    missing = {
        ((a, i), (b, j))
        for a, b in combinations(names, 2)
        for i, j in product(range(len(choices[a])), range(len(choices[b])))
    }
    rows = []
    while missing:
        best, met = None, set()
        for _ in range(60):
            row = {name: draw.randrange(len(choices[name])) for name in names}
            for place in draw.choice(sorted(missing)):
                row[place[0]] = place[1]
            pairs = set(combinations(row.items(), 2)) & missing
            if len(pairs) > len(met):
                best, met = row, pairs
        if best:
            missing -= met
            rows.append({name: choices[name][i] for name, i in best.items()})
    return rows
