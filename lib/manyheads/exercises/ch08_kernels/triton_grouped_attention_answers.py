"""Right answers of triton-grouped-attention: the model answer, from which mistakes are made, and other techniques."""

from manyheads.exercises.kernel import kernel_source

HEAD = """@triton.jit
def triton_grouped_attention(
    qkv, out, scale, heads, kv_heads, seq, HEAD_DIM: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr
):"""

ANSWER = kernel_source(
    HEAD
    + r"""
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    kv_head = head // (heads // kv_heads)
    token = (heads + 2 * kv_heads) * HEAD_DIM
    dim = tl.arange(0, HEAD_DIM)
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    qkv += batch * seq * token
    q = qkv + head * HEAD_DIM
    k = qkv + (heads + kv_head) * HEAD_DIM
    v = qkv + (heads + kv_heads + kv_head) * HEAD_DIM
    queries = tl.load(q + query[:, None] * token + dim[None, :], mask=query[:, None] < seq, other=0.0)
    largest = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([BLOCK_Q, HEAD_DIM], tl.float32)
    for start in range(0, seq, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        keys = tl.load(k + key[None, :] * token + dim[:, None], mask=key[None, :] < seq, other=0.0)
        values = tl.load(v + key[:, None] * token + dim[None, :], mask=key[:, None] < seq, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        scores = tl.where(key[None, :] < seq, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        fade = tl.exp(largest - new)
        powers = tl.exp(scores - new[:, None])
        total = total * fade + tl.sum(powers, 1)
        product = tl.dot(powers.to(values.dtype), values, input_precision="ieee")
        weighted = weighted * fade[:, None] + product
        largest = new
    place = (batch * seq + query[:, None]) * heads * HEAD_DIM + head * HEAD_DIM + dim[None, :]
    tl.store(out + place, weighted / total[:, None], mask=query[:, None] < seq)
"""
)

SLOTS = kernel_source(
    HEAD
    + r"""
    # A token is a row of slots of HEAD_DIM numbers: query heads, then key heads, then value heads.
    b, h = tl.program_id(1) // heads, tl.program_id(1) % heads
    slots = heads + kv_heads + kv_heads
    key_slot = heads + h * kv_heads // heads
    i = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)[:, None]
    d = tl.arange(0, HEAD_DIM)[None, :]
    x = tl.load(qkv + ((b * seq + i) * slots + h) * HEAD_DIM + d, mask=i < seq, other=0.0)
    top = tl.full([BLOCK_Q, 1], -1.0e30, tl.float32)
    total = tl.zeros([BLOCK_Q, 1], tl.float32)
    acc = tl.zeros([BLOCK_Q, HEAD_DIM], tl.float32)
    for block in range(tl.cdiv(seq, BLOCK_K)):
        j = block * BLOCK_K + tl.arange(0, BLOCK_K)[:, None]
        place = qkv + ((b * seq + j) * slots + key_slot) * HEAD_DIM + d
        y = tl.load(place, mask=j < seq, other=0.0)
        z = tl.load(place + kv_heads * HEAD_DIM, mask=j < seq, other=0.0)
        s = tl.dot(x, tl.trans(y), input_precision="ieee") * (scale * 1.4426950408889634)
        s = tl.where(tl.trans(j) < seq, s, float("-inf"))
        new = tl.maximum(top, tl.max(s, axis=1, keep_dims=True))
        p = tl.exp2(s - new)
        total = total * tl.exp2(top - new) + tl.sum(p, axis=1, keep_dims=True)
        acc = tl.dot(p.to(z.dtype), z, acc * tl.exp2(top - new), input_precision="ieee")
        top = new
    tl.store(out + ((b * seq + i) * heads + h) * HEAD_DIM + d, acc / total, mask=i < seq)
"""
)

COUNTED_BACK = kernel_source(
    HEAD
    + r"""
    # The last block of keys first, and the value heads counted from the end of a token.
    head = tl.program_id(1) % heads
    token = (heads + 2 * kv_heads) * HEAD_DIM
    start_of = (tl.program_id(1) // heads).to(tl.int64) * seq
    group = tl.cdiv(heads, kv_heads)
    kv_head = (head - head % group) // group
    dim = tl.arange(0, HEAD_DIM)
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    rows = (start_of + query[None, :]) * token
    queries = tl.load(qkv + rows + head * HEAD_DIM + dim[:, None], mask=query[None, :] < seq, other=0.0)
    m = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([HEAD_DIM, BLOCK_Q], tl.float32)
    blocks = (seq + BLOCK_K - 1) // BLOCK_K
    for n in range(blocks):
        key = (blocks - 1 - n) * BLOCK_K + tl.arange(0, BLOCK_K)
        inside = key < seq
        key_rows = (start_of + key) * token
        keys = tl.load(
            qkv + key_rows[:, None] + (heads + kv_head) * HEAD_DIM + dim[None, :], mask=inside[:, None], other=0.0
        )
        values = tl.load(
            qkv + key_rows[None, :] + token - (kv_heads - kv_head) * HEAD_DIM + dim[:, None],
            mask=inside[None, :],
            other=0.0,
        )
        scores = tl.dot(keys, queries, input_precision="ieee") * scale
        scores = tl.where(inside[:, None], scores, float("-inf"))
        new = tl.maximum(m, tl.max(scores, 0))
        powers = tl.exp(scores - new[None, :])
        fade = tl.exp(m - new)
        total = total * fade + tl.sum(powers, 0)
        weighted = weighted * fade[None, :] + tl.dot(values, powers.to(values.dtype), input_precision="ieee")
        m = new
    place = (start_of + query[None, :]) * (heads * HEAD_DIM) + head * HEAD_DIM + dim[:, None]
    tl.store(out + place, weighted / total[None, :], mask=query[None, :] < seq)
"""
)

ALTERNATIVES = {"slots of a token": SLOTS, "counted back, transposed": COUNTED_BACK}
ALTERNATIVES["divided in each block"] = ANSWER.changed(
    (
        "weighted * fade[:, None] + product",
        "weighted * ((total - tl.sum(powers, 1)) / total)[:, None] + product / total[:, None]",
    ),
    ("weighted / total[:, None]", "weighted"),
)
