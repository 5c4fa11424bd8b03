"""tile-budget: what tiles of keys and values take of shared memory, and what padding wastes."""

import numpy as np

from manyheads.exercises.ch08_kernels.tile_budget_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter

#: Shared memory of one block, in bytes: what it has without asking, and at most on three kinds of GPU. 40 bytes are
#: left to other things, so that no tiles of whole numbers of 16 keys use up the limit by chance.
_LIMITS = tuple(most - 40 for most in (49_152, 101_376, 166_912, 232_448))


def _reference(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    one_key = (head_dim + v_head_dim) * bytes_per_element
    largest = limit // (16 * one_key) * 16
    padded_16 = head_dim + -head_dim % 16
    power_of_two = 1 << (head_dim - 1).bit_length()
    return block_k * one_key, largest, padded_16, power_of_two, 1 - head_dim / power_of_two


def _case(about, *numbers, probe=False):
    names = ("head_dim", "v_head_dim", "block_k", "bytes_per_element", "limit")
    return Case(about, dict(zip(names, map(int, numbers), strict=True)), probe)


def _powers(rng):
    head_dim, v_head_dim, block_k = rng.choice([16, 32, 64, 128, 256], 3, replace=False)
    limits = rng.permutation(_LIMITS)
    return [
        _case("widths that are powers of two, float16", head_dim, v_head_dim, block_k, 2, limits[0]),
        _case("widths that are powers of two, float32", v_head_dim, block_k, head_dim, 4, limits[1]),
        _case("keys of 64, values of 128, 8 bits", 64, 128, 48, 1, limits[2]),
        _case("the narrowest keys", 16, 64, 112, 2, limits[3]),
        # What is done with other widths.
        _case("keys of 72 numbers", 72, 40, 48, 2, 49_112, probe=True),
        _case("a limit that is used up to the last byte", 64, 32, 48, 2, 96 * 2 * 160, probe=True),
        _case("no tile of 16 keys fits", 256, 192, 32, 4, 20_000, probe=True),
    ]


def _others(rng):
    head_dim, v_head_dim = rng.choice([40, 72, 80, 112, 144], 2, replace=False)
    block_k, limit = rng.choice([16, 32, 64, 128]), rng.choice(_LIMITS)
    return [
        _case("a width that is no power of two, float16", head_dim, v_head_dim, block_k, 2, limit),
        _case("keys of 72 numbers, float32", 72, 56, 144, 4, limit),
        _case("keys of 192 numbers, values of 128, as in a latent layer", 192, 128, block_k, 2, limit),
        _case("keys of an odd width", 16 * int(rng.integers(4, 7)) + 9, 24, block_k, 1, limit),
        _case("keys of one number more than a power of two", 65, 33, block_k, 2, limit),
        _case("a limit that is used up to the last byte", 72, 40, 48, 2, 112 * 2 * 160, probe=True),
        _case("no tile of 16 keys fits", 200, 120, 32, 4, 20_000, probe=True),
    ]


def _tight(rng):
    head_dim, v_head_dim = rng.choice([32, 64, 128], 2, replace=False)
    fits = 16 * int(rng.choice([3, 5, 7])) * (head_dim + v_head_dim) * 2
    return [
        _case("a limit that is used up to the last byte", head_dim, v_head_dim, 48, 2, fits),
        _case("one byte less than that", head_dim, v_head_dim, 80, 2, fits - 1),
        _case("no tile of 16 keys fits", 256, 192, 32, 4, int(rng.integers(20_001, 28_000))),
        _case("more bytes than 32 bits count", 128, 64, 2**24 + 16, 2, 2**33 + int(rng.integers(9999))),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _tried_one_after_the_other(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    per_block = 16 * bytes_per_element * (head_dim + v_head_dim)
    left = limit % per_block
    padded, power = head_dim, 16
    while padded % 16:
        padded += 1
    while power < head_dim:
        power *= 2
    return per_block * block_k // 16, (limit - left) // per_block * 16, padded, power, (power - head_dim) / power


def _keys_and_values_apart(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    keys = block_k * head_dim * bytes_per_element
    values = block_k * v_head_dim * bytes_per_element
    rows = limit // (bytes_per_element * v_head_dim + bytes_per_element * head_dim)
    sixteens = (head_dim + 15) // 16
    power = 2 ** len(bin(head_dim - 1)[2:])
    return keys + values, rows - rows % 16, sixteens * 16, power, 1.0 - head_dim / power


def _from_tables(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    widths = np.arange(16, 4096, 16)
    powers = 2 ** np.arange(4, 13)
    padded = widths[widths >= head_dim].min()
    power = int(powers[np.searchsorted(powers, head_dim)])
    together = head_dim + v_head_dim
    row_of_16 = bytes_per_element * together << 4
    largest = (limit // row_of_16) << 4
    return block_k * bytes_per_element * together, largest, padded, power, float(np.mean(np.arange(power) >= head_dim))


def _logarithms(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    power = 2 ** int(np.ceil(np.log2(head_dim)))
    padded = 16 * int(np.ceil(head_dim / 16))
    key_and_value = sum([head_dim, v_head_dim]) * bytes_per_element
    largest = int(np.floor(limit / key_and_value / 16)) * 16
    return key_and_value * block_k, largest, padded, power, float(np.subtract(1, head_dim / power))


EXERCISE = Exercise(
    name="tile-budget",
    title="What fits into shared memory",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("head_dim", "whole number: numbers in a key, at least 16"),
        Parameter("v_head_dim", "whole number: numbers in a value"),
        Parameter("block_k", "whole number: keys in a tile, and as many values"),
        Parameter("bytes_per_element", "whole number: 4 for float32, 2 for float16, 1 for 8 bits"),
        Parameter("limit", "whole number: bytes of shared memory that a block may have"),
    ),
    returns=(
        Output("tile_bytes", None, "int", about="an `int` (bytes of a tile of keys and a tile of values)"),
        Output(
            "largest_block",
            None,
            "int",
            about="an `int` (the largest multiple of 16 for block_k with which both tiles fit; 0 if none does)",
        ),
        Output("padded_16", None, "int", about="an `int` (the smallest multiple of 16 not below head_dim)"),
        Output("padded_power", None, "int", about="an `int` (the smallest power of two not below head_dim)"),
        Output("wasted", None, "float", about="a `float` (the part of padded_power that is padding, from 0 to 1)"),
    ),
    reference=_reference,
    tolerance={"float64": 1e-12},
    example="""
>>> tile_budget(head_dim=72, v_head_dim=40, block_k=32, bytes_per_element=2, limit=16000)
(7168, 64, 80, 128, 0.4375)
""",
    hints=(
        "Start with one key and its value: how many bytes do they take? A tile has block_k of both.",
        "How often does a step of 16 keys, with their values, go into the limit? `//` leaves out what is over.",
        "For the multiple of 16 round up: `-(-n // 16)` is the number of sixteens. For the power of two begin at 16 "
        "and double while it is too small.",
    ),
    aspects=(
        Aspect("powers of two", 1, "widths that are powers of two and need no padding", _powers),
        Aspect("other widths", 1, "widths that have to be padded", _others),
        Aspect("tight limits", 1, "limits that just fit or just do not, and very large ones", _tight),
    ),
    alternatives={
        "tried one after the other": _tried_one_after_the_other,
        "keys and values apart": _keys_and_values_apart,
        "from tables": _from_tables,
        "logarithms": _logarithms,
    },
    mistakes=MISTAKES,
)
