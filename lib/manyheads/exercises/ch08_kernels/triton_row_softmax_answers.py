"""Right answers of triton-row-softmax: the model answer, from which the mistakes are made, and other techniques."""

from manyheads.exercises.kernel import kernel_source

ANSWER = kernel_source(r"""
@triton.jit
def triton_row_softmax(
    scores, weights, length, scores_row, scores_column, weights_row, weights_column, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < length
    place = scores + row * scores_row + column * scores_column
    x = tl.load(place, mask=inside, other=float("-inf")).to(tl.float32)
    largest = tl.max(x, 0)
    largest = tl.where(largest == float("-inf"), 0.0, largest)
    powers = tl.exp(x - largest)
    total = tl.sum(powers, 0)
    weight = powers / tl.where(total == 0.0, 1.0, total)
    tl.store(weights + row * weights_row + column * weights_column, weight, mask=inside)
""")

POWERS_OF_TWO = kernel_source(r"""
@triton.jit
def triton_row_softmax(
    scores, weights, length, scores_row, scores_column, weights_row, weights_column, BLOCK: tl.constexpr
):
    scores += tl.program_id(0) * scores_row
    weights += tl.program_id(0) * weights_row
    i = tl.arange(0, BLOCK)
    x = tl.load(scores + i * scores_column, mask=i < length, other=float("-inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    # log2(e): 2**(x * log2(e)) is e**x, and exp2 is what the hardware has
    powers = tl.where(x == float("-inf"), 0.0, tl.exp2((x - top) * 1.4426950408889634))
    total = tl.maximum(tl.sum(powers, axis=0), 1.0)  # the largest alone adds 1
    tl.store(weights + i * weights_column, powers / total, mask=i < length)
""")

LOG_OF_THE_TOTAL = kernel_source(r"""
@triton.jit
def triton_row_softmax(
    scores, weights, length, scores_row, scores_column, weights_row, weights_column, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    allowed = j < length
    x = tl.load(scores + row * scores_row + j * scores_column, mask=allowed, other=0.0).to(tl.float32)
    allowed = allowed & (x > float("-inf"))
    top = tl.max(tl.where(allowed, x, -3.0e38), 0)
    rest = tl.where(allowed, x - top, 0.0)
    log_total = tl.log(tl.sum(tl.where(allowed, tl.exp(rest), 0.0), 0))
    weight = tl.where(allowed, tl.exp(rest - log_total), 0.0)
    tl.store(weights + row * weights_row + j * weights_column, weight, mask=j < length)
""")

IN_TWO_DIMENSIONS = kernel_source(r"""
@triton.jit
def triton_row_softmax(
    scores, weights, length, scores_row, scores_column, weights_row, weights_column, BLOCK: tl.constexpr
):
    # A block of one row, as for several rows a program.
    row = tl.program_id(0) + tl.arange(0, 1)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    x = tl.load(scores + row * scores_row + column * scores_column, mask=column < length, other=float("-inf"))
    x = x.to(tl.float32)
    largest = tl.max(x, axis=1, keep_dims=True)
    if tl.max(x) > float("-inf"):
        powers = tl.exp(x - largest)
        weight = powers / tl.sum(powers, axis=1, keep_dims=True)
    else:
        weight = tl.zeros([1, BLOCK], tl.float32)
    tl.store(weights + row * weights_row + column * weights_column, weight, mask=column < length)
""")

ALTERNATIVES = {
    "powers of two": POWERS_OF_TWO,
    "log of the total": LOG_OF_THE_TOTAL,
    "in two dimensions": IN_TWO_DIMENSIONS,
}
