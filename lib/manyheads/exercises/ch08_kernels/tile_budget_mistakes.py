"""The known mistakes of tile-budget."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _right(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    one_key, power = (head_dim + v_head_dim) * bytes_per_element, 1 << (head_dim - 1).bit_length()
    return block_k * one_key, limit // one_key // 16 * 16, -(-head_dim // 16) * 16, power, 1 - head_dim / power


def _keys_only(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    return _right(head_dim, 0, block_k, bytes_per_element, limit)


def _values_as_wide_as_keys(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    return _right(head_dim, head_dim, block_k, bytes_per_element, limit)


def _elements(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    return _right(head_dim, v_head_dim, block_k, 1, limit)


def _bytes_of_padded_keys(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    _, _, padded, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    wide = _right(power, v_head_dim, block_k, bytes_per_element, limit)
    return wide[0], wide[1], padded, power, wasted


def _bytes_of_padded_tiles(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    keys, values = 1 << (head_dim - 1).bit_length(), 1 << (v_head_dim - 1).bit_length()
    wide = _right(keys, values, block_k, bytes_per_element, limit)
    return (*wide[:2], *_right(head_dim, v_head_dim, block_k, bytes_per_element, limit)[2:])


def _bytes_of_sixteens(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    wide = _right(-(-head_dim // 16) * 16, -(-v_head_dim // 16) * 16, block_k, bytes_per_element, limit)
    return (*wide[:2], *_right(head_dim, v_head_dim, block_k, bytes_per_element, limit)[2:])


def _any_block(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, _, padded, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, limit // ((head_dim + v_head_dim) * bytes_per_element), padded, power, wasted


def _a_power_of_two_of_keys(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, padded, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, 1 << (largest.bit_length() - 1) if largest else 0, padded, power, wasted


def _blocks_of_16(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, padded, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, largest // 16, padded, power, wasted


def _tiles_of_block_k(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, _, padded, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, limit // tile * block_k, padded, power, wasted


def _largest_rounded_up(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, _, padded, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, -(-limit // (16 * (head_dim + v_head_dim) * bytes_per_element)) * 16, padded, power, wasted


def _less_than_the_limit(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    right = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return (right[0], _right(head_dim, v_head_dim, block_k, bytes_per_element, limit - 1)[1], *right[2:])


def _at_least_16(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, padded, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, max(largest, 16), padded, power, wasted


def _padded_down(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, _, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, largest, head_dim // 16 * 16, power, wasted


def _padded_to_the_nearest(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, _, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, largest, round(head_dim / 16) * 16, power, wasted


def _always_16_more(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, _, power, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, largest, (head_dim // 16 + 1) * 16, power, wasted


def _always_the_next_power(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, padded, _, _ = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    power = 1 << head_dim.bit_length()
    return tile, largest, padded, power, 1 - head_dim / power


def _power_below(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, padded, _, _ = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    power = 1 << (head_dim.bit_length() - 1)
    return tile, largest, padded, power, (head_dim - power) / power


def _wasted_of_the_width(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    *rest, power, _ = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return (*rest, power, (power - head_dim) / head_dim)


def _wasted_numbers(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    *rest, power, _ = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return (*rest, power, power - head_dim)


def _wasted_of_16(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, largest, padded, power, _ = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return tile, largest, padded, power, 1 - head_dim / padded


def _used_instead_of_wasted(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    *rest, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return (*rest, 1 - wasted)


def _per_cent(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    *rest, wasted = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return (*rest, 100 * wasted)


def _32_bits(head_dim, v_head_dim, block_k, bytes_per_element, limit):
    tile, *rest = _right(head_dim, v_head_dim, block_k, bytes_per_element, limit)
    return (int(np.int64(tile).astype(np.int32)), *rest)


_SECTION = "What a GPU has, and runs out of"
_PADDED, _UNPADDED = ("other widths",), ("powers of two", "tight limits")

MISTAKES = (
    Mistake(
        "keys-only",
        _keys_only,
        "You counted the tile of keys only. The tile of values, block_k times v_head_dim, stands beside it.",
        _SECTION,
    ),
    Mistake(
        "values-as-wide-as-keys",
        _values_as_wide_as_keys,
        "You counted values as wide as keys. A value has v_head_dim numbers.",
        _SECTION,
    ),
    Mistake(
        "elements",
        _elements,
        "You counted elements. Each takes bytes_per_element bytes, and the limit is in bytes.",
        _SECTION,
    ),
    Mistake(
        "bytes-of-padded-keys",
        _bytes_of_padded_keys,
        "You counted the bytes of keys padded to a power of two. Here tiles are stored as they are; only the last "
        "three numbers are about padding.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "bytes-of-padded-tiles",
        _bytes_of_padded_tiles,
        "You counted the bytes of keys and values padded to powers of two. Here tiles are stored as they are.",
        _SECTION,
        loses=("other widths", "tight limits"),
    ),
    Mistake(
        "bytes-of-sixteens",
        _bytes_of_sixteens,
        "You counted the bytes of keys and values padded to multiples of 16. Here tiles are stored as they are.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "any-block",
        _any_block,
        "Your largest block is not a multiple of 16. Matrix units take 16 keys at a time: round down to a multiple.",
        _SECTION,
    ),
    Mistake(
        "a-power-of-two-of-keys",
        _a_power_of_two_of_keys,
        "Your largest block is a power of two. Any multiple of 16 will do, such as 48, and there may be a larger one.",
        _SECTION,
    ),
    Mistake(
        "blocks-of-16",
        _blocks_of_16,
        "You give how often 16 keys fit. Asked is the number of keys: 16 times that.",
        _SECTION,
    ),
    Mistake(
        "tiles-of-block-k",
        _tiles_of_block_k,
        "Your largest block is a multiple of block_k. It may be any multiple of 16: count how often 16 keys fit, with "
        "their values.",
        _SECTION,
    ),
    Mistake(
        "largest-rounded-up",
        _largest_rounded_up,
        "Your largest block is rounded up, and does not fit. Such a kernel is not launched at all: round down.",
        _SECTION,
    ),
    Mistake(
        "less-than-the-limit",
        _less_than_the_limit,
        "You want the tiles to take less than the limit. They may take all of it.",
        _SECTION,
        loses=("tight limits",),
    ),
    Mistake(
        "at-least-16",
        _at_least_16,
        "You give 16 keys where not even these fit. The answer is 0 then: such tiles cannot be used.",
        _SECTION,
        loses=("tight limits",),
    ),
    Mistake(
        "padded-down",
        _padded_down,
        "Your multiple of 16 is smaller than head_dim, so numbers of a key are lost. Pad upwards.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "padded-to-the-nearest",
        _padded_to_the_nearest,
        "Your multiple of 16 is the nearest one, and may be smaller than head_dim. Pad upwards.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "always-16-more",
        _always_16_more,
        "You pad a width that is a multiple of 16 already. It stays as it is: round up, and do not add one more step.",
        _SECTION,
    ),
    Mistake(
        "always-the-next-power",
        _always_the_next_power,
        "You pad a power of two to the next one, which doubles the work for nothing. 64 stays 64.",
        _SECTION,
        loses=_UNPADDED,
    ),
    Mistake(
        "power-below",
        _power_below,
        "Your power of two is smaller than head_dim, so numbers of a key are lost. Take the smallest one that is at "
        "least head_dim.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "wasted-of-the-width",
        _wasted_of_the_width,
        "You divide the padding by head_dim. Asked is its part of the padded width.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "wasted-numbers",
        _wasted_numbers,
        "You give how many numbers are padding. Asked is which part of the padded width they are: divide by it.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "wasted-of-16",
        _wasted_of_16,
        "Your wasted part is that of the multiple of 16. Asked is that of the power of two.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "used-instead-of-wasted",
        _used_instead_of_wasted,
        "You give the part that is used. What is wasted is the rest: 1 minus that.",
        _SECTION,
    ),
    Mistake(
        "per-cent",
        _per_cent,
        "You give per cent. Asked is a part between 0 and 1.",
        _SECTION,
        loses=_PADDED,
    ),
    Mistake(
        "32-bits",
        _32_bits,
        "Your bytes went round: they passed 2**31 in 32-bit integers. Multiply Python's own integers, which have no "
        "limit.",
        _SECTION,
        loses=("tight limits",),
    ),
)
