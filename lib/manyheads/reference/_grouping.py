"""Queries that share a K/V head, stacked: one product serves the group, and no key is repeated."""


def stack_group(x, kv_heads: int):
    """``(batch, heads, n, d)`` to ``(batch, kv_heads, group * n, d)``: head h stands with K/V head ``h // group``."""
    batch, heads, length, dim = x.shape
    return x.reshape(batch, kv_heads, heads // kv_heads * length, dim)


def unstack_group(x, heads: int):
    """The way back."""
    batch, kv_heads, stacked, dim = x.shape
    length = stacked * kv_heads // heads if heads else 0
    return x.reshape(batch, heads, length, dim)
