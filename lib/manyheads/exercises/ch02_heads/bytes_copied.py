"""bytes-copied: what splitting and combining copy, and the strides of the heads."""

import numpy as np

from manyheads.exercises.ch02_heads.bytes_copied_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(batch, seq, n_heads, head_dim, itemsize):
    everything = batch * seq * n_heads * head_dim * itemsize
    moved = seq > 1 and n_heads > 1
    copies = [False, False, moved, moved and batch > 1, False, moved and head_dim > 1]
    token = n_heads * head_dim * itemsize
    strides = [seq * token, head_dim * itemsize, token, itemsize]
    return np.array([copy * everything for copy in copies], np.int64), np.array(strides, np.int64)


def _case(about, *numbers, probe=False):
    return Case(about, dict(zip((p.name for p in _PARAMETERS), map(int, numbers), strict=True)), probe)


def _sizes(rng):
    return [int(size) for size in rng.permutation([3, 5, 7, 9, 11, 12])[:4]]


def _several(rng):
    cases = [_case("more than one of everything", *_sizes(rng), rng.choice([2, 4, 8]))]
    for place, name in enumerate(["sequences", "tokens", "heads", "numbers in a head"]):
        numbers = _sizes(rng)
        numbers[place] = 2
        cases.append(_case(f"two {name}", *numbers, rng.choice([1, 2, 4, 8])))
    return cases


def _ones(rng):
    cases = []
    for place, name in enumerate(["sequence", "token", "head", "number in each head"]):
        numbers = _sizes(rng)
        numbers[place] = 1
        cases.append(_case(f"one {name}", *numbers, rng.choice([2, 4, 8])))
    # A step that none of these needs may still be a copy.
    return [*cases, _case("more than one of everything", *_sizes(rng), rng.choice([2, 4, 8]), probe=True)]


def _large(rng):
    # Beyond any address space, so that building the arrays fails at once and does not fill a memory.
    batch, seq = int(rng.integers(20_001, 60_000)), int(rng.integers(500_001, 1_500_000))
    return [
        _case("more bytes than any memory holds", batch, seq, 96, 128, 4),
        _case("as many bytes, in one sequence", 1, batch * seq, 40, 96, 8),
        _case("as many bytes, with one number in each head", batch, seq, 4096, 1, 8),
        # Rules that differ only where nothing moves.
        _case("as many bytes, one token", batch * seq, 1, 96, 128, 4, probe=True),
        _case("as many bytes, one head", batch, seq, 1, 12288, 4, probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _tried_on_a_small_array(batch, seq, n_heads, head_dim, itemsize):
    small = [1 + (size > 1) for size in (batch, seq, n_heads, head_dim)]
    x = np.empty(small)
    z = x.swapaxes(1, 2)
    c = np.ascontiguousarray(z)
    m = z.reshape(-1, *z.shape[2:])
    w = c.swapaxes(1, 2).reshape(*x.shape[:2], -1)
    everything = batch * seq * n_heads * head_dim * itemsize
    copied = np.zeros(6, np.int64)
    copied[2] = everything * (z.ctypes.data != c.ctypes.data)
    copied[3] = everything * (z.ctypes.data != m.ctypes.data)
    copied[5] = everything * (c.ctypes.data != w.ctypes.data)
    strides = np.cumprod([itemsize, head_dim, n_heads, seq], dtype=np.int64)
    return copied, strides[[3, 1, 2, 0]]


def _truths_times_bytes(batch, seq, n_heads, head_dim, itemsize):
    several_n, several_b, several_h, several_d = np.array([seq, batch, n_heads, head_dim]) != 1
    both = several_n & several_h
    copies = np.array([False, False, both, both & several_b, False, both & several_d])
    row = np.int64(head_dim) * itemsize
    strides = np.array([n_heads * seq * row, row, n_heads * row, itemsize])
    return copies * (batch * strides[0]), strides


def _sets_of_sizes(batch, seq, n_heads, head_dim, itemsize):
    token = n_heads * head_dim * itemsize
    whole = batch * seq * token
    z_copied = whole * (1 not in {seq, n_heads})
    merged = whole * (1 not in {batch, seq, n_heads})
    combined = whole * (1 not in {seq, n_heads, head_dim})
    copied = np.array([0, 0, z_copied, merged, 0, combined], np.int64)
    return copied, np.array([whole // batch, head_dim * itemsize, token, itemsize], np.int64)


def _early_returns(batch, seq, n_heads, head_dim, itemsize):
    head = head_dim * itemsize
    token = n_heads * head
    sequence = seq * token
    copied = np.zeros(6, dtype=np.int64)
    strides = np.array([sequence, head, token, itemsize], dtype=np.int64)
    if n_heads == 1 or seq == 1:
        return copied, strides
    copied[2] = batch * sequence
    if batch != 1:
        copied[3] = copied[2]
    if head_dim != 1:
        copied[5] = copied[2]
    return copied, strides


_PARAMETERS = (
    Parameter("batch", "whole number, 1 or more, as all of these"),
    Parameter("seq", "whole number"),
    Parameter("n_heads", "whole number"),
    Parameter("head_dim", "whole number"),
    Parameter("itemsize", "whole number: bytes for one element of x"),
)

EXERCISE = Exercise(
    name="bytes-copied",
    title="Views, strides and copies",
    chapter="02-heads",
    version=1,
    parameters=_PARAMETERS,
    returns=(
        Output("copied", ("step",), "int", about="an array (6,) of whole numbers, the bytes that each step copies,"),
        Output("strides", ("axis",), "int", about="an array (4,) of whole numbers, the strides of z in bytes"),
    ),
    reference=_reference,
    tolerance=EXACT,
    aspects=(
        Aspect("several", 2, "more than one of everything", _several),
        Aspect("ones", 1, "one sequence, one token, one head, one number in each head", _ones),
        Aspect("large", 1, "sizes that no memory holds", _large),
    ),
    alternatives={
        "tried on a small array": _tried_on_a_small_array,
        "truths times bytes": _truths_times_bytes,
        "sets of sizes": _sets_of_sizes,
        "early returns": _early_returns,
    },
    example=""">>> copied, strides = bytes_copied(2, 3, 2, 2, 8)
>>> copied.tolist(), strides.tolist()
([0, 0, 192, 192, 0, 192], [96, 16, 32, 8])
>>> bytes_copied(1, 3, 2, 2, 8)[0].tolist()
[0, 0, 96, 0, 0, 96]""",
    hints=(
        "Build x for a few small sizes and ask np.shares_memory(before, after) for every step. Then find a rule for "
        "what you see; the arrays that you are asked about are too large to build.",
        "For the strides, write down where the elements x[0, 0, 0], its neighbour, the next head, the next token and "
        "the next sequence lie in memory, and then put these distances into the order of z's axes.",
        "Ask the rule for merging two axes of sequences and heads in z, for step 3, and of heads and numbers in what "
        "step 5 reshapes. Then ask for each of the four sizes what changes when it is 1.",
    ),
    mistakes=MISTAKES,
)
