"""Right answers of triton-attention: the model answer, from which the mistakes are made, and other techniques."""

from manyheads.exercises.kernel import kernel_source

HEAD = """@triton.jit
def triton_attention(
    q, k, v, out, scale, heads, q_len, k_len,
    q_batch, q_head, q_token, k_batch, k_head, k_token,
    v_batch, v_head, v_token, out_batch, out_head, out_token,
    HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):"""

ANSWER = kernel_source(
    HEAD
    + r"""
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, HEAD_DIM)
    v_dim = tl.arange(0, V_HEAD_DIM)
    q += batch * q_batch + head * q_head
    k += batch * k_batch + head * k_head
    v += batch * v_batch + head * v_head
    out += batch * out_batch + head * out_head
    queries = tl.load(q + query[:, None] * q_token + dim[None, :], mask=query[:, None] < q_len, other=0.0)
    largest = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([BLOCK_Q, V_HEAD_DIM], tl.float32)
    for start in range(0, k_len, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        keys = tl.load(k + key[None, :] * k_token + dim[:, None], mask=key[None, :] < k_len, other=0.0)
        values = tl.load(v + key[:, None] * v_token + v_dim[None, :], mask=key[:, None] < k_len, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        scores = tl.where(key[None, :] < k_len, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        fade = tl.exp(largest - new)
        powers = tl.exp(scores - new[:, None])
        total = total * fade + tl.sum(powers, 1)
        product = tl.dot(powers.to(values.dtype), values, input_precision="ieee")
        weighted = weighted * fade[:, None] + product
        largest = new
    result = weighted / total[:, None]
    tl.store(out + query[:, None] * out_token + v_dim[None, :], result, mask=query[:, None] < q_len)
"""
)

POWERS_OF_TWO = kernel_source(
    HEAD
    + r"""
    b, h = tl.program_id(1) // heads, tl.program_id(1) % heads
    i = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    d, e = tl.arange(0, HEAD_DIM), tl.arange(0, V_HEAD_DIM)
    j = tl.arange(0, BLOCK_K)
    # Pointers that move along the keys, a block at a time.
    k_place = k + b * k_batch + h * k_head + j[:, None] * k_token + d[None, :]
    v_place = v + b * v_batch + h * v_head + j[:, None] * v_token + e[None, :]
    x = tl.load(q + b * q_batch + h * q_head + i[:, None] * q_token + d[None, :], mask=i[:, None] < q_len, other=0.0)
    top = tl.full([BLOCK_Q], -1.0e30, tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    acc = tl.zeros([BLOCK_Q, V_HEAD_DIM], tl.float32)
    for block in range(tl.cdiv(k_len, BLOCK_K)):
        inside = j < k_len - block * BLOCK_K
        y = tl.load(k_place, mask=inside[:, None], other=0.0)
        s = tl.dot(x, tl.trans(y), input_precision="ieee") * (scale * 1.4426950408889634)
        s = tl.where(inside[None, :], s, -1.0e30)
        before = top
        top = tl.maximum(top, tl.max(s, axis=1))
        p = tl.where(inside[None, :], tl.exp2(s - top[:, None]), 0.0)
        fade = tl.exp2(before - top)
        total = tl.fma(total, fade, tl.sum(p, axis=1))
        z = tl.load(v_place, mask=inside[:, None], other=0.0)
        acc = tl.dot(p.to(z.dtype), z, acc * fade[:, None], input_precision="ieee")
        k_place += BLOCK_K * k_token
        v_place += BLOCK_K * v_token
    o = out + b * out_batch + h * out_head + i[:, None] * out_token + e[None, :]
    tl.store(o, (acc / total[:, None]).to(out.dtype.element_ty), mask=i[:, None] < q_len)
"""
)

SCORES_TRANSPOSED = kernel_source(
    HEAD
    + r"""
    # Keys down, queries across: maxima and sums go over axis 0, and the result is transposed at the end.
    head = (tl.program_id(1) % heads).to(tl.int64)
    batch = (tl.program_id(1) // heads).to(tl.int64)
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, HEAD_DIM)
    v_dim = tl.arange(0, V_HEAD_DIM)
    place = q + batch * q_batch + head * q_head + query[None, :] * q_token + dim[:, None]
    queries = tl.load(place, mask=query[None, :] < q_len, other=0.0)
    m = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([V_HEAD_DIM, BLOCK_Q], tl.float32)
    for start in range(0, k_len, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        k_place = k + batch * k_batch + head * k_head + key[:, None] * k_token + dim[None, :]
        keys = tl.load(k_place, mask=key[:, None] < k_len, other=0.0)
        v_place = v + batch * v_batch + head * v_head + key[None, :] * v_token + v_dim[:, None]
        values = tl.load(v_place, mask=key[None, :] < k_len, other=0.0)
        scores = tl.dot(keys, queries, input_precision="ieee") * scale
        scores += tl.where(key < k_len, 0.0, float("-inf"))[:, None]
        new = tl.maximum(m, tl.max(scores, 0))
        powers = tl.exp(scores - new[None, :])
        fade = tl.exp(m - new)
        total = total * fade + tl.sum(powers, 0)
        weighted = weighted * fade[None, :] + tl.dot(values, powers.to(values.dtype), input_precision="ieee")
        m = new
    place = out + batch * out_batch + head * out_head + query[:, None] * out_token + v_dim[None, :]
    tl.store(place, tl.trans(weighted / total[None, :]), mask=query[:, None] < q_len)
"""
)

TWO_PASSES = kernel_source(
    HEAD
    + r"""
    # Once over the keys for the logarithm of the total, and once more for the result.
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) - batch * heads
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, HEAD_DIM)
    v_dim = tl.arange(0, V_HEAD_DIM)
    k += batch * k_batch + head * k_head
    place = q + batch * q_batch + head * q_head + query[:, None] * q_token + dim[None, :]
    queries = tl.load(place, mask=query[:, None] < q_len, other=0.0)
    log_total = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    for start in range(0, k_len, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        keys = tl.load(k + key[None, :] * k_token + dim[:, None], mask=key[None, :] < k_len, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        scores = tl.where(key[None, :] < k_len, scores, float("-inf"))
        new = tl.maximum(log_total, tl.max(scores, 1))
        log_total = new + tl.log(tl.exp(log_total - new) + tl.sum(tl.exp(scores - new[:, None]), 1))
    result = tl.zeros([BLOCK_Q, V_HEAD_DIM], tl.float32)
    for start in range(0, k_len, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        keys = tl.load(k + key[None, :] * k_token + dim[:, None], mask=key[None, :] < k_len, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        weights = tl.where(key[None, :] < k_len, tl.exp(scores - log_total[:, None]), 0.0)
        v_place = v + batch * v_batch + head * v_head + key[:, None] * v_token + v_dim[None, :]
        values = tl.load(v_place, mask=key[:, None] < k_len, other=0.0)
        result += tl.dot(weights.to(values.dtype), values, input_precision="ieee")
    place = out + batch * out_batch + head * out_head + query[:, None] * out_token + v_dim[None, :]
    tl.store(place, result, mask=query[:, None] < q_len)
"""
)

ALTERNATIVES = {
    "powers of two": POWERS_OF_TWO,
    "scores transposed": SCORES_TRANSPOSED,
    "two passes": TWO_PASSES,
}
