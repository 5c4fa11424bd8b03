"""The known mistakes of bytes-copied."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _transpose_copies(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, moved, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _reshape_copies(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([1, 0, moved, moved and batch > 1, 1, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _way_back_copies(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 1, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _contiguous_is_free(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, 0, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _merge_is_free(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, 0, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _combining_is_free(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, 0], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _ones_forgotten(batch, seq, n_heads, head_dim, itemsize):
    copied = batch * seq * n_heads * head_dim * itemsize * np.array([0, 0, 1, 1, 0, 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _one_sequence_forgotten(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _one_number_forgotten(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _numbers_not_bytes(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _strides_in_numbers(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _strides_of_y(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, n_heads * head_dim, head_dim, 1], np.int64)


def _strides_of_c(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([n_heads * seq * head_dim, seq * head_dim, head_dim, 1], np.int64)


def _thirty_two_bits(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    strides = itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)
    return copied.astype(np.int32), strides.astype(np.int32)


def _both_ones_forgotten(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved, 0, moved], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _one_head_forgotten(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _one_token_forgotten(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _no_itemsize(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    return copied, np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)


def _exchanged_outputs(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    strides = itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)
    return strides, copied


def _copied_in_32_bits(batch, seq, n_heads, head_dim, itemsize):
    everything, moved = batch * seq * n_heads * head_dim * itemsize, seq > 1 and n_heads > 1
    copied = everything * np.array([0, 0, moved, moved and batch > 1, 0, moved and head_dim > 1], np.int64)
    strides = itemsize * np.array([seq * n_heads * head_dim, head_dim, n_heads * head_dim, 1], np.int64)
    return copied.astype(np.int32), strides


_VIEWS = "Views, strides and copies"

MISTAKES = (
    Mistake(
        "transpose-copies",
        _transpose_copies,
        "You counted the transpose, step 1, as a copy. It only writes the strides in another order; the bytes stay "
        "where they are.",
        _VIEWS,
    ),
    Mistake(
        "reshape-copies",
        _reshape_copies,
        "You counted steps 0 and 4 as copies. Their reshapes cut and merge axes that lie in memory as "
        "they are read, and so give views.",
        _VIEWS,
    ),
    Mistake(
        "way-back-copies",
        _way_back_copies,
        "You counted step 4 as a copy. z is a view of x; transposed back, its strides are those of y again, and the "
        "heads of a token lie side by side as ever.",
        _VIEWS,
    ),
    Mistake(
        "contiguous-is-free",
        _contiguous_is_free,
        "You counted step 2 as free whatever the sizes. Contiguous means that the elements lie in memory in the "
        "order in which they are read. In z they do not, so they have to be written anew.",
        _VIEWS,
    ),
    Mistake(
        "merge-is-free",
        _merge_is_free,
        "You counted step 3 as free whatever the sizes. With several sequences, the step from head to head "
        "and the step from sequence to sequence do not fit one stride, and NumPy copies without a word.",
        _VIEWS,
    ),
    Mistake(
        "combining-is-free",
        _combining_is_free,
        "You counted step 5 as free whatever the sizes. Step 4 is, but c lies in memory head after head: to "
        "bring the heads of a token side by side, its numbers have to move.",
        _VIEWS,
    ),
    Mistake(
        "ones-forgotten",
        _ones_forgotten,
        "You have a copy in steps 2, 3 and 5 whatever the sizes. An axis of size 1 has no next element, and its "
        "stride does not matter; so some of these are views. Try sizes of 1 with np.shares_memory.",
        _VIEWS,
        loses=("ones", "large"),
    ),
    Mistake(
        "one-sequence-forgotten",
        _one_sequence_forgotten,
        "In step 3, a batch of one sequence needs no copy: there is no step from sequence to sequence that would have "
        "to fit.",
        _VIEWS,
        loses=("ones", "large"),
    ),
    Mistake(
        "one-number-forgotten",
        _one_number_forgotten,
        "In step 5, heads of a single number need no copy: there is nothing inside a head that has to stay together, "
        "and one stride goes from head to head. Step 5 starts from c: compare with c, and not with x.",
        _VIEWS,
        loses=("ones", "large"),
    ),
    Mistake(
        "both-ones-forgotten",
        _both_ones_forgotten,
        "One token and one head you have thought of. But neither a batch of one sequence, in step 3, nor heads of a "
        "single number, in step 5, need a copy: each time one stride is enough for the two axes that become one.",
        _VIEWS,
        loses=("ones", "large"),
    ),
    Mistake(
        "one-head-forgotten",
        _one_head_forgotten,
        "With a single head nothing is copied: there is no other head from which a token could be taken away, and z "
        "lies in memory as it is read.",
        _VIEWS,
        loses=("ones",),
    ),
    Mistake(
        "one-token-forgotten",
        _one_token_forgotten,
        "With a single token nothing is copied: the heads of that token are all there is, and z lies in memory as it "
        "is read.",
        _VIEWS,
        loses=("ones",),
    ),
    Mistake(
        "numbers-not-bytes",
        _numbers_not_bytes,
        "You counted the elements that are copied. Asked are bytes: itemsize for each element.",
        _VIEWS,
    ),
    Mistake(
        "no-itemsize",
        _no_itemsize,
        "Both arrays count elements. Bytes are asked for in both: itemsize for each element.",
        _VIEWS,
    ),
    Mistake(
        "exchanged-outputs",
        _exchanged_outputs,
        "You return the strides first. What the steps copy comes first, then the strides.",
        _VIEWS,
    ),
    Mistake(
        "strides-in-numbers",
        _strides_in_numbers,
        "Your strides count elements. NumPy's count bytes, so the last one is itemsize.",
        _VIEWS,
    ),
    Mistake(
        "strides-of-y",
        _strides_of_y,
        "Those are the strides of y. In z, axis 1 counts heads and axis 2 tokens, so their strides have changed "
        "places too.",
        _VIEWS,
    ),
    Mistake(
        "strides-of-c",
        _strides_of_c,
        "Those are the strides of the contiguous copy c. z is a view: its elements lie where they lie in x, token "
        "after token.",
        _VIEWS,
    ),
    Mistake(
        "thirty-two-bits",
        _thirty_two_bits,
        "Your numbers went round: they passed 2**31 in 32-bit integers. Multiply Python's own integers, which have no "
        "limit, and make the arrays with dtype=np.int64.",
        _VIEWS,
        loses=("large",),
    ),
    Mistake(
        "copied-in-32-bits",
        _copied_in_32_bits,
        "The bytes that are copied went round: they passed 2**31 in 32-bit integers. Multiply Python's own integers, "
        "which have no limit, and give the array dtype=np.int64.",
        _VIEWS,
        loses=("large",),
    ),
)
