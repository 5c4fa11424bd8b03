# %% [markdown]
# # 08 · Kernels, before the first one: who reads what
#
# **Time:** about 75 minutes, in five parts of 10 to 15 minutes and a written question.
# **You need:** whole numbers, `//` and `%`, NumPy arrays. No GPU, no CUDA, no torch.
# **Beside it:** chapter 08 of the book, *Kernels*. Everything that you need is also said here.
#
# A *kernel* is a function that runs on a GPU, thousands of times at once. Each run asks the same question first: which
# part of the work is mine, and where in memory does it lie? The answer is arithmetic with whole numbers, and most
# wrong kernels are wrong there. In this notebook you write that arithmetic in NumPy, where a mistake shows a wrong
# number instead of a crash. The other two notebooks of this assignment, `cuda` and `triton`, use it in real kernels;
# neither is needed here.
#
# <!-- how it works -->

# %% nbgrader={"locked": true, "grade_id": "setup"}
import numpy as np

from manyheads.grading import check

# %% [markdown]
# **Words** that all parts use:
#
# | name | meaning |
# |---|---|
# | `batch`, `seq` | sequences handled at once; tokens in each |
# | `heads`, `kv_heads` | query heads; heads of keys and values, K/V heads for short. `kv_heads` divides `heads` |
# | `group` | `heads // kv_heads`, the query heads that share a K/V head |
# | `head_dim`, `v_head_dim` | numbers in one query or key; in one value |
# | *element* | one number of an array. Elements lie in memory one after the other |
# | *offset* | how many elements lie before an element, from the start of its array. The first has offset 0 |
# | *stride* | of an axis: how many elements farther on the next index of that axis lies |
# | *thread*, *block* | a thread runs the kernel once. A block is a number of threads that work together |
# | *tile* | a piece of a matrix that one block handles at a time |
#
# Counting starts at 0. Offsets and strides are counted in *elements*, as pointers count in a kernel, and not in bytes
# as in NumPy's `strides`. An array written `[batch, seq]`, in square brackets, lies in memory in this order of axes,
# the last one moving fastest, with no gaps: after an element comes the next one of the last axis.
#
# **Whole numbers of 32 bits** hold values below $2^{31}$, about two billion. In NumPy, as on a GPU, a larger result
# goes round and comes out wrong, without a word. `np.int64` holds all that is needed here, and Python's own integers
# have no limit.

# %% [markdown]
# ## 1 · Where an element lies
#
# *15 minutes. You need: multiplication.*
#
# Attention needs number `d` of the vector of token `i`, of head `h`, in sequence `b`. A kernel has no `x[b, h, i, d]`:
# it gets the address where the array starts, and has to say how many elements farther on to look.
#
# In an array `[A, B, C]` the element of indices $(a, b, c)$ has the offset $(a \cdot B + b) \cdot C + c$: before it lie
# $a$ whole pieces of $B \cdot C$ elements, then $b$ rows of $C$, then $c$ elements. It is the same with more axes. The
# size of the first axis is not needed.
#
# Three layouts are in use:
#
# - `"tokens first"`: `[batch, seq, heads, head_dim]`. So a projection leaves it: all heads of a token lie together.
# - `"heads first"`: `[batch, heads, seq, head_dim]`. All tokens of a head lie together.
# - `"packed"`: one memory for queries, keys and values, `[batch, seq, 3, heads, head_dim]`. The axis of size 3 is
#   `part`: 0 for queries, 1 for keys, 2 for values. So in the row of a token come the queries of all heads, then all
#   keys, then all values.
#
# In the first two layouts queries, keys and values have a memory each, and `part` does not matter.
#
# The indices come as arrays of `n` whole numbers: element 0 has the indices `b[0]`, `h[0]`, `i[0]`, `d[0]`, and so on.
# They have **32 bits**, as the numbers of blocks and threads have on a GPU, and an offset can be larger than 32 bits
# hold. A 32-bit array times a Python integer stays 32 bits: make it 64 bits first, `b.astype(np.int64)`. In CUDA one
# writes `(long long)b`.
#
# By hand: `seq` is 5, `heads` 3, `head_dim` 4, and `b` = 1, `h` = 2, `i` = 3, `d` = 1. Tokens first: before
# it lie (1 · 5 + 3) · 3 + 2 = 26 vectors, and 26 · 4 + 1 = 105. Heads first: (1 · 3 + 2) · 5 + 3 = 28 vectors, and
# 28 · 4 + 1 = 113. As a key in packed memory, `part` is 1: ((1 · 5 + 3) · 3 + 1) · 3 + 2 = 77 vectors, and 77 · 4 + 1
# = 309.
#
# <!-- contract: element-offsets -->


# %% nbgrader={"solution": true}
def element_offsets(layout, part, b, h, i, d, seq, heads, head_dim):
    """Give the offset of each element in its memory; an array (n,) of 64-bit integers."""
    ### BEGIN SOLUTION
    part, b, h, i, d = (index.astype(np.int64) for index in (part, b, h, i, d))
    if layout == "tokens first":
        return ((b * seq + i) * heads + h) * head_dim + d
    if layout == "heads first":
        return ((b * heads + h) * seq + i) * head_dim + d
    return (((b * seq + i) * 3 + part) * heads + h) * head_dim + d
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("element-offsets", element_offsets, aspect="tokens first")

# %% nbgrader={"grade": true}
check("element-offsets", element_offsets, aspect="heads first")

# %% nbgrader={"grade": true}
check("element-offsets", element_offsets, aspect="packed")

# %% nbgrader={"grade": true}
check("element-offsets", element_offsets, aspect="large")

# %% [markdown]
# ## 2 · Three views of one projection
#
# *10 minutes. You need: part 1 read.*
#
# A kernel that is handed strides can read any layout, without a copy. For each array it gets the address of the first
# element and a stride for each axis, and the offset of an element is the sum of index times stride.
#
# A model multiplies its input by one weight for all: the result has a row for each token, `[batch, seq, width]` in
# memory, with `width = (heads + 2 * kv_heads) * head_dim`. In a row come the queries of all `heads`, head after head,
# then the keys of the `kv_heads`, then their values. Each is a vector of `head_dim` numbers. (With as many K/V heads as
# query heads this is the packed memory of part 1.)
#
# Out of that, attention wants three arrays, each with the axes batch, head, seq, dim: `q` with `heads` heads, `k` and
# `v` with `kv_heads` each. None of them is copied. They are *views*: a start and four strides. Give both for all
# three, in the order q, k, v. The start is the offset, in the packed memory, of the view's first element: sequence 0,
# head 0, token 0, number 0.
#
# With long sequences a stride is larger than 32 bits hold: make the array with `dtype=np.int64`. The projection itself
# need not be made, and a long one would not fit into your computer's memory: the numbers come from counting.
#
# By hand: `seq` is 5, `heads` 4, `kv_heads` 2 and `head_dim` 3. A row has (4 + 2 + 2) · 3 = 24 elements. In `q` the
# next number is 1 element farther on, the next token one row, 24, the next head 3, and the next sequence 5 rows:
# that is 120. In the order batch, head, seq, dim: 120, 3, 24, 1. The keys start behind the four queries, at 12, and the
# values at 18.
#
# <!-- contract: head-view-strides -->


# %% nbgrader={"solution": true}
def head_view_strides(seq, heads, kv_heads, head_dim):
    """Give the strides (3, 4) and the starts (3,) of the views q, k and v of a packed projection."""
    ### BEGIN SOLUTION
    width = (heads + 2 * kv_heads) * head_dim
    # Nothing has moved, so the three views have the same strides; they differ in where they start.
    view = [seq * width, head_dim, width, 1]
    starts = [0, heads * head_dim, (heads + kv_heads) * head_dim]
    return np.array([view, view, view], dtype=np.int64), np.array(starts, dtype=np.int64)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("head-view-strides", head_view_strides, aspect="equal heads")

# %% nbgrader={"grade": true}
check("head-view-strides", head_view_strides, aspect="shared heads")

# %% nbgrader={"grade": true}
check("head-view-strides", head_view_strides, aspect="large")

# %% [markdown]
# ## 3 · Who does what: the grid
#
# *15 minutes. You need: `divmod`, or `//` and `%`.*
#
# A kernel is launched as a *grid* of blocks. Every block runs the same code, and all it is told is its own number, here
# two numbers: `x` and `y` (`blockIdx.x` and `blockIdx.y` in CUDA, `tl.program_id(0)` and `(1)` in Triton). From them it
# works out its share.
#
# In this launch a block does one tile of up to `block_q` queries, of one head, in one sequence:
#
# - `x` is the number of the tile: tile `x` begins with query `x * block_q`. The last tile may have fewer queries than
#   `block_q`; each sequence has `q_len`. There is no tile without queries.
# - `y` counts the heads of all sequences: `y = b * heads + h`. It goes from 0 to `batch * heads - 1`.
#
# Query head `h` reads K/V head `h // group`, with `group = heads // kv_heads`: the heads of a group stand together.
#
# Write down the whole grid: a row for each block, and in it five numbers: the sequence `b`, the query head `h`, the K/V
# head, the first query, and how many queries there are. The rows are in the order of the blocks, `x` fastest: all `x`
# of `y` = 0, then all of `y` = 1, and so on. (A GPU promises no order in time; this is how the blocks are numbered.)
#
# By hand: one sequence, two query heads, one K/V head, 5 queries, `block_q` 4. There are two tiles, of 4 queries and
# of 1, and `y` is 0 or 1: four blocks. The last has `x` = 1 and `y` = 1: sequence 0, head 1, K/V head 0, first query
# 4, and 1 query.
#
# <!-- contract: launch-grid -->


# %% nbgrader={"solution": true}
def launch_grid(batch, heads, kv_heads, q_len, block_q):
    """Give each block's sequence, query head, K/V head, first query and number of queries; an array (blocks, 5)."""
    ### BEGIN SOLUTION
    tiles = (q_len + block_q - 1) // block_q
    group = heads // kv_heads
    grid = []
    for y in range(batch * heads):
        b, h = divmod(y, heads)
        for x in range(tiles):
            first = x * block_q
            grid.append([b, h, h // group, first, min(block_q, q_len - first)])
    return np.array(grid)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("launch-grid", launch_grid, aspect="whole tiles")

# %% nbgrader={"grade": true}
check("launch-grid", launch_grid, aspect="partial tiles")

# %% nbgrader={"grade": true}
check("launch-grid", launch_grid, aspect="few queries")

# %% nbgrader={"grade": true}
check("launch-grid", launch_grid, aspect="shared heads")

# %% [markdown]
# ## 4 · Many threads copy a tile
#
# *15 minutes. You need: part 1 read; `divmod`.*
#
# Before a block computes, its threads copy a tile of keys from the GPU's large memory into the small fast memory that
# they share. They do it together, in *turns*: in each turn every thread reads one element.
#
# Which thread should read which? The memory is read in pieces of neighbouring elements, 32 bytes or more. If
# neighbouring threads read neighbouring elements, a piece serves many threads at once; such reads are called
# *coalesced*. If each thread has a far-off run of its own, every thread needs a piece for itself. So number the
# elements of the tile row by row, from 0. In turn `s`, thread `t` takes element number
#
# $$e = s \cdot \text{threads} + t$$
#
# Element `e` is in row `e // dim` of the tile, and in its column `e % dim`. Row 0 of the tile is row `first_row` of the
# matrix, column 0 of the tile is column 0 of the matrix. From one row of the matrix to the next it is `row_stride`
# elements, which may be more than `dim`: the other heads lie between. The offset of row `r` of the matrix and column
# `c` is `r * row_stride + c`.
#
# A thread reads nothing, and its entry is -1, for either of two reasons:
#
# - The tile has no such element: it has `tile_rows * dim`, numbered from 0. That happens in the last turn only.
# - The matrix has no such row: it has `rows` of them, numbered from 0, and the tile may reach past the last.
#
# There are as many turns as the elements of the *whole* tile need, whether or not its rows exist.
#
# By hand: a tile of 2 rows and 3 columns begins at row 2, `row_stride` is 10, and there are 4 threads. Its 6 elements
# need 2 turns. In turn 0 the threads read 20, 21, 22 and 30. In turn 1 threads 0 and 1 read 31 and 32, the others
# nothing. If the matrix has 3 rows, row 3 does not exist: then turn 0 is 20, 21, 22, -1, and turn 1 is -1 throughout.
#
# <!-- contract: thread-loads -->


# %% nbgrader={"solution": true}
def thread_loads(first_row, tile_rows, dim, row_stride, rows, threads):
    """Give the offset that each thread reads in each turn, -1 for nothing; an array (turns, threads)."""
    ### BEGIN SOLUTION
    turns = (tile_rows * dim + threads - 1) // threads
    element = np.arange(turns * threads).reshape(turns, threads)
    tile_row, column = element // dim, element % dim
    row = first_row + tile_row
    exists = (tile_row < tile_rows) & (row < rows)
    return np.where(exists, row * row_stride + column, -1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("thread-loads", thread_loads, aspect="whole turns")

# %% nbgrader={"grade": true}
check("thread-loads", thread_loads, aspect="last turn")

# %% nbgrader={"grade": true}
check("thread-loads", thread_loads, aspect="edge")

# %% [markdown]
# ## 5 · What fits into shared memory
#
# *10 minutes. You need: rounding up and down to a multiple.*
#
# The memory that the threads of a block share is small: 48 KiB without asking, on large GPUs up to 227 KiB (1 KiB is
# 1,024 bytes). A kernel that wants more is not launched at all. So the size of a tile is worked out before.
#
# A block keeps a tile of keys, `block_k` times `head_dim` elements, and beside it a tile of as many values, `block_k`
# times `v_head_dim`. Give:
#
# 1. `tile_bytes`: the bytes of both tiles together, stored as they are, without padding.
# 2. `largest_block`: the largest multiple of 16 for `block_k` with which both tiles fit. They fit if they take at most
#    `limit` bytes. It is 0 if not even 16 keys fit.
#
# A GPU's units for products of matrices take 16 numbers at a time, and Triton's blocks have sizes that are powers of
# two. A width that does not fit is filled up with zeros, *padded*, which costs work for nothing. So give three more
# numbers:
#
# 3. `padded_16`: the smallest multiple of 16 that is at least `head_dim`.
# 4. `padded_power`: the smallest power of two that is at least `head_dim`. (`head_dim` is at least 16.)
# 5. `wasted`: the part of `padded_power` that is padding, a float: 0.25 if a quarter is.
#
# Count in Python's own integers, and take `//` where a whole number is asked: some limits are larger than 32 bits hold.
#
# By hand: `head_dim` 72, `v_head_dim` 40, `block_k` 32, 2 bytes for an element, and a limit of 16,000 bytes. A key and
# its value take 112 · 2 = 224 bytes, 32 of them 7,168. Sixteen of them take 3,584, which goes into 16,000 four times:
# 64 keys. 72 is padded to 80, or to 128. Of 128 numbers 56 are padding: 0.4375.
#
# <!-- contract: tile-budget -->


# %% nbgrader={"solution": true}
def tile_budget(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    """Give tile_bytes, largest_block, padded_16, padded_power and wasted."""
    ### BEGIN SOLUTION
    key_and_value = (head_dim + v_head_dim) * bytes_per_element
    tile_bytes = block_k * key_and_value
    largest_block = limit // (16 * key_and_value) * 16
    padded_16 = (head_dim + 15) // 16 * 16
    padded_power = 16
    while padded_power < head_dim:
        padded_power *= 2
    wasted = (padded_power - head_dim) / padded_power
    return tile_bytes, largest_block, padded_16, padded_power, wasted
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("tile-budget", tile_budget, aspect="powers of two")

# %% nbgrader={"grade": true}
check("tile-budget", tile_budget, aspect="other widths")

# %% nbgrader={"grade": true}
check("tile-budget", tile_budget, aspect="tight limits")

# %% [markdown]
# ## 6 · In your own words
#
# *10 minutes. You need: parts 2, 3, 4 and 5 read. 4 points, given by a person.*
#
# A colleague writes an attention kernel for a model with 32 query heads, 8 K/V heads and a `head_dim` of 72. In at most
# 200 words:
#
# - (a) Before the launch, the colleague copies each K/V head four times, "so that every query head finds keys of its
#   own". What can the kernel do instead, and what does it save (1 point)?
# - (b) Each thread copies a run of elements of its own: thread 0 the first nine, thread 1 the next nine, and so on. The
#   result is right. Why is it likely to be slow, and which thread should read which element (1 point)?
# - (c) The test has 128 queries, the tile 64, and all is well. With 130 queries there are sometimes wrong numbers, and
#   sometimes the program stops. What does the kernel probably not ask before it reads or writes a row, and how many
#   queries has the last tile (1 point)?
# - (d) Padded to a power of two, what part of the work on a key is wasted, and what part if padded to a multiple of 16
#   (1 point)?

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-who-reads-what"}
# ### BEGIN SOLUTION
# **An answer.** (a) Query head `h` can read K/V head `h // 4` where it lies. This costs one division for each block,
# and no copy: keys and values keep a quarter of the size, in memory and in the time to write and read the copies.
#
# (b) In one turn neighbouring threads read elements that are nine apart, so a piece of memory that is fetched serves
# few of them, and more pieces have to be fetched. Thread t should read the elements t, t + threads, t + 2 · threads
# and so on: then neighbours read neighbours in each turn.
#
# (c) Whether the row exists. 130 queries make three tiles, and the last has 2 queries; its other 62
# rows do not exist. Without a test the kernel reads and writes past the end of the array, into whatever lies there:
# another head, or memory that is not its own.
#
# (d) To 128: 56 of 128, or 44 per cent. To 80: 8 of 80, or 10 per cent.
#
# **Rubric (4 points).**
#
# - 1 point: the index `h // group` (or a stride of 0), and that no copies are made, stored or read. Half of it for one
#   of the two.
# - 1 point: reads are not coalesced, or: neighbours read far apart; and the step of `threads` between the elements of a
#   thread. Half of it for one of the two.
# - 1 point: the missing test for rows that do not exist, and the last tile of 2. Half of it for one of the two.
# - 1 point: 56/128 and 8/80, or 44 and 10 per cent. Half of it for one of the two, or for both as parts of 72.
# ### END SOLUTION
