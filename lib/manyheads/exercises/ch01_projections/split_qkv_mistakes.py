"""split-qkv: the wrong answers that are known, and what helps the person who wrote them."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _layout_ignored(qkv, n_heads, n_kv_heads, layout):
    x = qkv.reshape(*qkv.shape[:2], n_heads + 2 * n_kv_heads, -1).swapaxes(1, 2)
    return x[:, :n_heads], x[:, n_heads : n_heads + n_kv_heads], x[:, n_heads + n_kv_heads :]


def _equal_thirds(qkv, n_heads, n_kv_heads, layout):
    b, n, _ = qkv.shape
    if layout == "concatenated":
        q, k, v = np.split(qkv, 3, axis=-1)
        q = q.reshape(b, n, n_heads, -1).swapaxes(1, 2)
        return q, k.reshape(b, n, n_kv_heads, -1).swapaxes(1, 2), v.reshape(b, n, n_kv_heads, -1).swapaxes(1, 2)
    group = n_heads // n_kv_heads
    x = qkv.reshape(b, n, n_kv_heads, group + 2, -1)
    q = x[..., :group, :].reshape(b, n, n_heads, -1)
    return q.swapaxes(1, 2), x[..., group, :].swapaxes(1, 2), x[..., group + 1, :].swapaxes(1, 2)


def _bare_reshape(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    if layout == "concatenated":
        q, k, v = np.split(qkv, [n_heads * d, (n_heads + n_kv_heads) * d], axis=-1)
    else:
        x = qkv.reshape(b, n, n_kv_heads, group + 2, d)
        q, k, v = x[..., :group, :], x[..., group, :], x[..., group + 1, :]
    return q.reshape(b, n_heads, n, d), k.reshape(b, n_kv_heads, n, d), v.reshape(b, n_kv_heads, n, d)


def _parts_innermost(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    if layout == "per_head":
        x = qkv.reshape(b, n, n_heads, d, 3).swapaxes(1, 2)
        return x[..., 0], x[..., 1], x[..., 2]
    if layout == "concatenated":
        x = qkv.reshape(b, n, -1, d).swapaxes(1, 2)
        return x[:, :n_heads], x[:, n_heads : n_heads + n_kv_heads], x[:, n_heads + n_kv_heads :]
    x = qkv.reshape(b, n, n_kv_heads, group + 2, d)
    q = x[..., :group, :].reshape(b, n, n_heads, d)
    return q.swapaxes(1, 2), x[..., group, :].swapaxes(1, 2), x[..., group + 1, :].swapaxes(1, 2)


def _groups_dealt_out(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    if layout == "concatenated":
        x = qkv.reshape(b, n, -1, d).swapaxes(1, 2)
        return x[:, :n_heads], x[:, n_heads : n_heads + n_kv_heads], x[:, n_heads + n_kv_heads :]
    x = qkv.reshape(b, n, n_kv_heads, group + 2, d)
    q = x[..., :group, :].swapaxes(2, 3).reshape(b, n, n_heads, d)
    return q.swapaxes(1, 2), x[..., group, :].swapaxes(1, 2), x[..., group + 1, :].swapaxes(1, 2)


def _value_before_key(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    if layout == "concatenated":
        x = qkv.reshape(b, n, -1, d).swapaxes(1, 2)
        return x[:, :n_heads], x[:, n_heads + n_kv_heads :], x[:, n_heads : n_heads + n_kv_heads]
    x = qkv.reshape(b, n, n_kv_heads, group + 2, d)
    q = x[..., :group, :].reshape(b, n, n_heads, d)
    return q.swapaxes(1, 2), x[..., group + 1, :].swapaxes(1, 2), x[..., group, :].swapaxes(1, 2)


def _read_by_group(qkv, n_heads, n_kv_heads, layout):
    group, blocks = n_heads // n_kv_heads, n_heads + 2 * n_kv_heads
    place = np.arange(blocks) % (group + 2)
    part = np.where(place < group, 0, place - group + 1)
    x = qkv.reshape(*qkv.shape[:2], blocks, -1).swapaxes(1, 2)
    return x[:, part == 0], x[:, part == 1], x[:, part == 2]


def _query_and_key_exchanged(qkv, n_heads, n_kv_heads, layout):
    group, blocks = n_heads // n_kv_heads, n_heads + 2 * n_kv_heads
    place = np.arange(blocks) % (group + 2)
    part = np.where(place < group, 0, place - group + 1)
    if layout == "concatenated":
        part = np.repeat([0, 1, 2], [n_heads, n_kv_heads, n_kv_heads])
    x = qkv.reshape(*qkv.shape[:2], blocks, -1).swapaxes(1, 2)
    return x[:, part == 1], x[:, part == 0], x[:, part == 2]


def _key_for_value(qkv, n_heads, n_kv_heads, layout):
    group, blocks = n_heads // n_kv_heads, n_heads + 2 * n_kv_heads
    place = np.arange(blocks) % (group + 2)
    part = np.where(place < group, 0, place - group + 1)
    if layout == "concatenated":
        part = np.repeat([0, 1, 2], [n_heads, n_kv_heads, n_kv_heads])
    x = qkv.reshape(*qkv.shape[:2], blocks, -1).swapaxes(1, 2)
    return x[:, part == 0], x[:, part == 1], x[:, part == 1]


def _d_before_h(qkv, n_heads, n_kv_heads, layout):
    group, blocks = n_heads // n_kv_heads, n_heads + 2 * n_kv_heads
    place = np.arange(blocks) % (group + 2)
    part = np.where(place < group, 0, place - group + 1)
    if layout == "concatenated":
        part = np.repeat([0, 1, 2], [n_heads, n_kv_heads, n_kv_heads])
    x = qkv.reshape(*qkv.shape[:2], blocks, -1)
    d = x.shape[-1]
    q, k, v = (x[:, :, part == i].reshape(*x.shape[:2], d, -1).transpose(0, 3, 1, 2) for i in range(3))
    return q, k, v


def _squeezed(qkv, n_heads, n_kv_heads, layout):
    group, blocks = n_heads // n_kv_heads, n_heads + 2 * n_kv_heads
    place = np.arange(blocks) % (group + 2)
    part = np.where(place < group, 0, place - group + 1)
    if layout == "concatenated":
        part = np.repeat([0, 1, 2], [n_heads, n_kv_heads, n_kv_heads])
    x = qkv.reshape(*qkv.shape[:2], blocks, -1).swapaxes(1, 2)
    return x[:, part == 0].squeeze(), x[:, part == 1].squeeze(), x[:, part == 2].squeeze()


def _float64_buffers(qkv, n_heads, n_kv_heads, layout):
    group, blocks = n_heads // n_kv_heads, n_heads + 2 * n_kv_heads
    place = np.arange(blocks) % (group + 2)
    part = np.where(place < group, 0, place - group + 1)
    if layout == "concatenated":
        part = np.repeat([0, 1, 2], [n_heads, n_kv_heads, n_kv_heads])
    x = qkv.reshape(*qkv.shape[:2], blocks, -1)
    result = []
    for which in range(3):
        out = np.zeros((x.shape[0], (part == which).sum(), x.shape[1], x.shape[3]))
        out[:] = x[:, :, part == which].swapaxes(1, 2)
        result.append(out)
    return tuple(result)


MISTAKES = (
    Mistake(
        "layout-ignored",
        _layout_ignored,
        "You read this layout as concatenated: all q, all k, all v. The first queries are right all the same, which is "
        "why it is easily missed. Look at the order of the blocks.",
        "One product, three layouts",
        loses=("per_head", "per_group"),
    ),
    Mistake(
        "read-by-group",
        _read_by_group,
        "You read concatenated as one head, or one group, after the other, each with its own q, k and v. Here all "
        "queries come first, then all keys, then all values.",
        "One product, three layouts",
        loses=("concatenated",),
    ),
    Mistake(
        "equal-thirds",
        _equal_thirds,
        "You cut the width into three equal parts. With fewer K/V heads, k and v are narrower than q: "
        "n_kv_heads * head_dim columns each.",
        "One product, three layouts",
        loses=("concatenated",),
    ),
    Mistake(
        "bare-reshape",
        _bare_reshape,
        "The blocks are right, but a reshape straight to (batch, heads, seq, head_dim) deals the tokens out to "
        "the heads. Reshape to (batch, seq, heads, head_dim), then transpose.",
        "Reshape, then transpose",
    ),
    Mistake(
        "d-before-h",
        _d_before_h,
        "q, k and v have the right columns, but these are dealt out to the heads one at a time, as a split into "
        "(head_dim, heads) or order='F' does. A head's columns stand together: split into (heads, head_dim).",
        "Reshape, then transpose",
    ),
    Mistake(
        "parts-innermost",
        _parts_innermost,
        "You read per_head as (n_heads, head_dim, 3): q, k and v one number at a time. They come a block of "
        "head_dim at a time: (n_heads, 3, head_dim).",
        "One product, three layouts",
        loses=("per_head",),
    ),
    Mistake(
        "groups-dealt-out",
        _groups_dealt_out,
        "Your query heads go round the groups. The queries of one group stand together: query head h belongs to "
        "group h // (n_heads // n_kv_heads).",
        "One product, three layouts",
        loses=("per_group",),
    ),
    Mistake(
        "value-before-key",
        _value_before_key,
        "Keys and values are swapped. In every layout the key block comes before the value block, and k is returned "
        "before v.",
        "One product, three layouts",
    ),
    Mistake(
        "query-and-key-exchanged",
        _query_and_key_exchanged,
        "Queries and keys are swapped: your q holds the keys, and your k the queries. Return q, k, v, in this order.",
        "One product, three layouts",
    ),
    Mistake(
        "key-for-value",
        _key_for_value,
        "Your v holds the keys once more. The value block of a head or group comes right after its key block; in "
        "concatenated, all values come after all keys.",
        "One product, three layouts",
    ),
    Mistake(
        "squeezed",
        _squeezed,
        "An axis of length 1 is lost. np.squeeze takes all of these away, and so a batch of one, a single token or a "
        "single head too. Take one block by its index, which takes away that axis and no other.",
        "One product, three layouts",
    ),
    Mistake(
        "float64-buffers",
        _float64_buffers,
        "Your results are float64. np.zeros and np.empty make that unless told otherwise, and so does computing "
        "with a float64 array. The results must have the dtype of qkv.",
        "What goes wrong and does not crash",
    ),
)
