"""Tiles of tensors with any strides, from memory and back."""

import triton
import triton.language as tl


@triton.jit
def of_head(x, strides, batch, head):
    """Where one head of one batch item begins. In 64 bits: batch times stride may pass 2**31 elements."""
    return x + tl.cast(batch, tl.int64) * strides[0] + tl.cast(head, tl.int64) * strides[1]


@triton.jit
def corner_of(x, strides, batch, head, first_row, first_column):
    """Where a tile of a head begins: the only way that is long enough for 64 bits."""
    start = of_head(x, strides, batch, head)
    return start + tl.cast(first_row, tl.int64) * strides[2] + tl.cast(first_column, tl.int64) * strides[3]


@triton.jit
def tile_pointers(x, strides, first_row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Pointers to (ROWS, COLUMNS) elements of a head. From the first row on, 32 bits are enough."""
    rows = tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    start = x + tl.cast(first_row, tl.int64) * strides[2]
    return start + (rows[:, None] * strides[2] + columns[None, :] * strides[3])


@triton.jit
def load_tile(x, strides, first_row, rows_wanted, DIM: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Rows of a head, one for each token. What is not wanted, and columns beyond DIM, is not read and comes as 0.

    `rows_wanted` is None where every row is: such loads need no mask and are the fastest.
    """
    pointers = tile_pointers(x, strides, first_row, ROWS, COLUMNS)
    if COLUMNS == DIM:
        if rows_wanted is None:
            tile = tl.load(pointers)
        else:
            tile = tl.load(pointers, mask=rows_wanted[:, None], other=0.0)
    else:
        inside = tl.arange(0, COLUMNS)[None, :] < DIM
        if rows_wanted is not None:
            inside = inside & rows_wanted[:, None]
        tile = tl.load(pointers, mask=inside, other=0.0)
    return tile


@triton.jit
def store_tile(x, strides, first_row, end_row, tile, DIM: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Rows before `end_row` of a head, in the tensor's own dtype."""
    inside = (first_row + tl.arange(0, ROWS))[:, None] < end_row
    if COLUMNS != DIM:
        inside = inside & (tl.arange(0, COLUMNS)[None, :] < DIM)
    pointers = tile_pointers(x, strides, first_row, ROWS, COLUMNS)
    tl.store(pointers, tile.to(x.dtype.element_ty), mask=inside)
