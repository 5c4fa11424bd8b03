"""Right answers of triton-causal-attention: the model answer, from which mistakes are made, and other techniques."""

from manyheads.exercises.kernel import kernel_source

HEAD = """@triton.jit
def triton_causal_attention(
    q, k, v, out, scale, q_len, k_len, HEAD_DIM: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr
):"""

ANSWER = kernel_source(
    HEAD
    + r"""
    head = tl.program_id(1)
    first = tl.program_id(0) * BLOCK_Q
    query = first + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, HEAD_DIM)
    q_place = (head * q_len + query[:, None]) * HEAD_DIM + dim[None, :]
    queries = tl.load(q + q_place, mask=query[:, None] < q_len, other=0.0)
    ahead = k_len - q_len
    end = tl.minimum(k_len, first + BLOCK_Q + ahead)
    largest = tl.full([BLOCK_Q], -1.0e30, tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([BLOCK_Q, HEAD_DIM], tl.float32)
    for start in range(0, end, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        k_place = (head * k_len + key[:, None]) * HEAD_DIM + dim[None, :]
        keys = tl.load(k + k_place, mask=key[:, None] < k_len, other=0.0)
        values = tl.load(v + k_place, mask=key[:, None] < k_len, other=0.0)
        scores = tl.dot(queries, tl.trans(keys), input_precision="ieee") * scale
        allowed = key[None, :] <= query[:, None] + ahead
        new = tl.maximum(largest, tl.max(tl.where(allowed, scores, -1.0e30), 1))
        fade = tl.exp(largest - new)
        powers = tl.where(allowed, tl.exp(scores - new[:, None]), 0.0)
        total = total * fade + tl.sum(powers, 1)
        product = tl.dot(powers.to(values.dtype), values, input_precision="ieee")
        weighted = weighted * fade[:, None] + product
        largest = new
    result = weighted / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(out + q_place, result, mask=query[:, None] < q_len)
"""
)

FROM_THE_DIAGONAL_BACK = kernel_source(
    HEAD
    + r"""
    # From the newest block of keys back to the first: what a query sees most of comes last.
    q += tl.program_id(1) * q_len * HEAD_DIM
    k += tl.program_id(1) * k_len * HEAD_DIM
    v += tl.program_id(1) * k_len * HEAD_DIM
    out += tl.program_id(1) * q_len * HEAD_DIM
    i = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)[:, None]
    j = tl.arange(0, BLOCK_K)[None, :]
    d = tl.arange(0, HEAD_DIM)
    x = tl.load(q + i * HEAD_DIM + d[None, :], mask=i < q_len, other=0.0)
    seen = tl.maximum(0, tl.minimum(k_len, (tl.program_id(0) + 1) * BLOCK_Q + k_len - q_len))
    blocks = tl.cdiv(seen, BLOCK_K)
    top = tl.full([BLOCK_Q, 1], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q, 1], tl.float32)
    acc = tl.zeros([BLOCK_Q, HEAD_DIM], tl.float32)
    for n in range(blocks):
        key = (blocks - 1 - n) * BLOCK_K + j
        y = tl.load(k + key * HEAD_DIM + d[:, None], mask=key < k_len, other=0.0)
        s = tl.dot(x, y, input_precision="ieee") * scale
        s = tl.where(q_len - i <= k_len - key, s, float("-inf"))
        new = tl.maximum(top, tl.max(s, axis=1, keep_dims=True))
        away = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - away)
        fade = tl.exp(top - away)
        total = total * fade + tl.sum(p, axis=1, keep_dims=True)
        row = tl.trans(key)
        z = tl.load(v + row * HEAD_DIM + d[None, :], mask=row < k_len, other=0.0)
        acc = acc * fade + tl.dot(p.to(z.dtype), z, input_precision="ieee")
        top = new
    o = tl.where(total > 0.0, acc / tl.where(total > 0.0, total, 1.0), 0.0)
    tl.store(out + i * HEAD_DIM + d[None, :], o, mask=i < q_len)
"""
)

DIAGONAL_APART = kernel_source(
    HEAD
    + r"""
    # First the blocks that every query of the program sees, without a mask, then those that the diagonal crosses.
    head = tl.program_id(1).to(tl.int64)
    first = tl.program_id(0) * BLOCK_Q
    query = first + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, HEAD_DIM)
    q_place = head * q_len * HEAD_DIM + query[:, None] * HEAD_DIM + dim[None, :]
    queries = tl.load(q + q_place, mask=query[:, None] < q_len, other=0.0)
    position = first + k_len - q_len
    whole = tl.maximum(0, position + 1) // BLOCK_K * BLOCK_K
    end = tl.minimum(k_len, position + BLOCK_Q)
    m = tl.full([BLOCK_Q], -1.0e30, tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([BLOCK_Q, HEAD_DIM], tl.float32)
    for start in range(0, whole, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        k_place = head * k_len * HEAD_DIM + key[:, None] * HEAD_DIM + dim[None, :]
        scores = tl.dot(queries, tl.trans(tl.load(k + k_place)), input_precision="ieee") * scale
        new = tl.maximum(m, tl.max(scores, 1))
        powers = tl.exp(scores - new[:, None])
        total = total * tl.exp(m - new) + tl.sum(powers, 1)
        values = tl.load(v + k_place)
        product = tl.dot(powers.to(values.dtype), values, input_precision="ieee")
        weighted = weighted * tl.exp(m - new)[:, None] + product
        m = new
    for start in range(whole, end, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        k_place = head * k_len * HEAD_DIM + key[:, None] * HEAD_DIM + dim[None, :]
        keys = tl.load(k + k_place, mask=key[:, None] < end, other=0.0)
        scores = tl.dot(queries, tl.trans(keys), input_precision="ieee") * scale
        seen = key[None, :] - (k_len - q_len) <= query[:, None]
        new = tl.maximum(m, tl.max(tl.where(seen, scores, -1.0e30), 1))
        powers = tl.where(seen, tl.exp(scores - new[:, None]), 0.0)
        total = total * tl.exp(m - new) + tl.sum(powers, 1)
        values = tl.load(v + k_place, mask=key[:, None] < end, other=0.0)
        product = tl.dot(powers.to(values.dtype), values, input_precision="ieee")
        weighted = weighted * tl.exp(m - new)[:, None] + product
        m = new
    tl.store(out + q_place, weighted / tl.maximum(total, 1.0e-30)[:, None], mask=query[:, None] < q_len)
"""
)

POWERS_OF_TWO = ANSWER.changed(
    (' input_precision="ieee") * scale', ' input_precision="ieee") * (scale * 1.4426950408889634)'),
    ("fade = tl.exp(", "fade = tl.exp2("),
    ("tl.where(allowed, tl.exp(", "tl.where(allowed, tl.exp2("),
    ("end = tl.minimum(k_len, first + BLOCK_Q + ahead)", "end = min(k_len, tl.max(query, 0) + 1 + ahead)"),
)

ALTERNATIVES = {
    "from the diagonal back": FROM_THE_DIAGONAL_BACK,
    "the diagonal apart": DIAGONAL_APART,
    "powers of two": POWERS_OF_TWO,
}
