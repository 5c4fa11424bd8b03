"""element-offsets: how far behind the start of its memory an element lies, in three layouts."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.ch08_kernels.element_offsets_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(layout, part, b, h, i, d, seq, heads, head_dim):
    strides = {
        "tokens first": (0, seq * heads * head_dim, head_dim, heads * head_dim, 1),
        "heads first": (0, heads * seq * head_dim, seq * head_dim, head_dim, 1),
        "packed": (heads * head_dim, seq * 3 * heads * head_dim, head_dim, 3 * heads * head_dim, 1),
    }[layout]
    return sum(index.astype(np.int64) * stride for index, stride in zip((part, b, h, i, d), strides, strict=True))


def _case(rng, about, layout, batch, seq, heads, head_dim, probe=False):
    """Eleven elements: the last of the memory, and others of which no two indices are alike in all.

    The first is told to the student, to count by hand: none of its indices is 0, and its sequence is the last.
    """
    limits = (3, batch, heads, seq, head_dim)
    drawn = np.array([rng.integers(limit, size=11) for limit in limits], np.int32)
    drawn[:, -1] = np.array(limits) - 1
    first = [int(rng.integers(1, limit)) for limit in limits]
    first[1] = batch - 1
    if first[2] == first[3]:  # then nobody could tell head and token apart
        first[3] += 1 if first[3] + 1 < seq else -1
    drawn[:, 0] = first
    inputs = dict(zip(("part", "b", "h", "i", "d"), drawn, strict=True))
    named = ", ".join(f"{name} {index[0]}" for name, index in inputs.items() if name != "part" or layout == "packed")
    about = f"{about}; seq {seq}, heads {heads}, head_dim {head_dim}, and element 0 has {named}"
    return Case(about, {"layout": layout, **inputs, "seq": seq, "heads": heads, "head_dim": head_dim}, probe)


def _small(rng, about, layout, probe=False):
    s = sizes.draw(rng, batch=(2, 5), seq=(6, 9), heads=(4, 7), head_dim=(4, 12))
    return _case(rng, about, layout, **s, probe=probe)


def _probes(rng, *layouts):
    """What is done with the other layouts."""
    return [_small(rng, f"{layout}, beside the others", layout, probe=True) for layout in layouts]


def _tokens_first(rng):
    return [
        _small(rng, "tokens first", "tokens first"),
        _small(rng, "tokens first, other sizes", "tokens first"),
        *_probes(rng, "heads first", "packed"),
    ]


def _heads_first(rng):
    return [
        _small(rng, "heads first", "heads first"),
        _small(rng, "heads first, other sizes", "heads first"),
        *_probes(rng, "tokens first", "packed"),
    ]


def _packed(rng):
    return [
        _small(rng, "packed", "packed"),
        _small(rng, "packed, other sizes", "packed"),
        *_probes(rng, "tokens first", "heads first"),
    ]


def _large(rng):
    seq = int(rng.integers(30_001, 60_000))
    return [
        _case(rng, "tokens first, more elements than 32 bits count", "tokens first", 53, seq, 96, 128),
        *_probes(rng, "tokens first", "heads first", "packed"),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _from_the_outermost_axis_in(layout, part, b, h, i, d, seq, heads, head_dim):
    order = {
        "tokens first": [(i, seq), (h, heads), (d, head_dim)],
        "heads first": [(h, heads), (i, seq), (d, head_dim)],
        "packed": [(i, seq), (part, 3), (h, heads), (d, head_dim)],
    }
    offset = b.astype(np.int64)
    for index, size in order[layout]:
        offset = offset * size + index
    return offset


def _element_by_element(layout, part, b, h, i, d, seq, heads, head_dim):
    offsets = []
    for p, sequence, head, token, number in np.stack([part, b, h, i, d], axis=1).tolist():
        if layout == "heads first":
            vector = (sequence * heads + head) * seq + token
        else:
            vector = (sequence * seq + token) * heads + head
        if layout == "packed":
            vector += 2 * heads * (sequence * seq + token) + p * heads
        offsets.append(vector * head_dim + number)
    return np.array(offsets, np.int64)


def _strides_from_the_innermost_axis_out(layout, part, b, h, i, d, seq, heads, head_dim):
    if layout == "tokens first":
        indices, steps = (d, h, i, b), (1, head_dim, heads, seq)
    elif layout == "heads first":
        indices, steps = (d, i, h, b), (1, head_dim, seq, heads)
    else:
        indices, steps = (d, h, part, i, b), (1, head_dim, heads, 3, seq)
    return np.cumprod(steps, dtype=np.int64) @ np.stack(indices)


def _sum_of_products(layout, part, b, h, i, d, seq, heads, head_dim):
    token = heads * head_dim
    strides = [seq * token, head_dim, token, 1]
    if layout == "heads first":
        strides[1:3] = seq * head_dim, head_dim
    start = 0
    if layout == "packed":
        strides[0], strides[2] = 3 * strides[0], 3 * token
        start = part * token
    return np.einsum("an,a->n", np.stack([b, h, i, d]), np.array(strides, np.int64)) + start


_INDEX = "32-bit integer array (n,)"

EXERCISE = Exercise(
    name="element-offsets",
    title="Where an element lies",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("layout", '`"tokens first"`, `"heads first"` or `"packed"`'),
        Parameter(
            "part", f"{_INDEX}: 0 for a query, 1 for a key, 2 for a value; it counts only where layout is packed"
        ),
        Parameter("b", f"{_INDEX}: the sequence of each element"),
        Parameter("h", f"{_INDEX}: its head"),
        Parameter("i", f"{_INDEX}: its token"),
        Parameter("d", f"{_INDEX}: its place in the vector of head_dim numbers"),
        Parameter("seq", "whole number: tokens in a sequence"),
        Parameter("heads", "whole number: heads, of queries, of keys and of values each"),
        Parameter("head_dim", "whole number: numbers in one vector"),
    ),
    returns=(
        Output(
            "result",
            ("element",),
            "int",
            about="an array (n,) of whole numbers, 64 bits each: the offset of each element, counted in elements",
        ),
    ),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> part, b, h, i, d = np.array([[1], [1], [2], [3], [1]], np.int32)
>>> element_offsets("tokens first", part, b, h, i, d, seq=5, heads=3, head_dim=4).tolist()
[105]
>>> element_offsets("heads first", part, b, h, i, d, seq=5, heads=3, head_dim=4).tolist()
[113]
>>> element_offsets("packed", part, b, h, i, d, seq=5, heads=3, head_dim=4).tolist()
[309]
""",
    hints=(
        "Write the axes of the memory in their order, the last one moving fastest. One step along an axis passes over "
        "all that lies behind it: the product of the sizes of the axes to its right.",
        "Packed memory has five axes: sequence, token, part, head, number. How many numbers does one token have there?",
        "For the large buffer: a 32-bit array times a whole number stays 32 bits. Make the indices 64 bits before you "
        "multiply, with `.astype(np.int64)`.",
    ),
    aspects=(
        Aspect("tokens first", 1, "memory [batch, seq, heads, head_dim]", _tokens_first),
        Aspect("heads first", 1, "memory [batch, heads, seq, head_dim]", _heads_first),
        Aspect("packed", 1, "queries, keys and values of a token in one row", _packed),
        Aspect("large", 1, "offsets that 32 bits do not hold, tokens first", _large),
    ),
    alternatives={
        "from the outermost axis in": _from_the_outermost_axis_in,
        "element by element": _element_by_element,
        "strides from the innermost axis out": _strides_from_the_innermost_axis_out,
        "sum of products": _sum_of_products,
    },
    mistakes=MISTAKES,
)
