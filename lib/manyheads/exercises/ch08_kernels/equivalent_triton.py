"""Of the exercises of notebook triton: mutants that do the same, with the reason."""

_ONE_AXIS = "The block has one axis: the last one, or all of them, is the same."
_EITHER_ORDER = "The larger of two numbers, and their product, is the same in either order."
_ANY_NUMBER = "What is taken away from minus infinity may be any finite number: the exponential is 0."
_ANY_DIVISOR = "A row without a key has a weighted sum of 0, which any number may divide."
_MINUS_ZERO = "Minus zero is zero, as a filler and in a comparison."
_NEVER_STORED = "A lane without a query is not stored, whatever it has computed."
_MASKED_LATER = "The score of a lane without a key is set to minus infinity later, whatever its key was."


def _mutant(of: str, line: str, old: str, new: str) -> str:
    """A mutant's name: of the line's pieces that read `old`, the first is changed."""
    return f"{of}: {line}  =>  {line.replace(old, new, 1)}"


_BACK = "from the diagonal back"
_SLOTS = "slots of a token"
_TWOS = "powers of two"

_LARGEST_OR_0 = "largest = tl.where(largest == float('-inf'), 0.0, largest)"
_WEIGHT = "weight = powers / tl.where(total == 0.0, 1.0, total)"
_TWOS_TOTAL = "total = tl.maximum(tl.sum(powers, axis=0), 1.0)"
_SOFTMAX = {
    _ONE_AXIS: [
        _mutant("solution", "largest = tl.max(x, 0)", "0", "-1"),
        _mutant("solution", "total = tl.sum(powers, 0)", "0", "-1"),
        _mutant(_TWOS, "top = tl.max(x, axis=0)", ", axis=0", ""),
        _mutant(_TWOS, "top = tl.max(x, axis=0)", "0", "-1"),
        _mutant(_TWOS, _TWOS_TOTAL, "axis=0", "axis=-1"),
    ],
    _ANY_NUMBER: [_mutant("solution", _LARGEST_OR_0, "0.0", other) for other in ("1.0", "-0.0")],
    _ANY_DIVISOR: [_mutant("solution", _WEIGHT, "1.0", other) for other in ("2.0", "-1.0")],
    _MINUS_ZERO: [
        _mutant("solution", _WEIGHT, "0.0", "-0.0"),
        _mutant(
            _TWOS,
            "powers = tl.where(x == float('-inf'), 0.0, tl.exp2((x - top) * 1.4426950408889634))",
            "0.0",
            "-0.0",
        ),
    ],
    _EITHER_ORDER: [
        _mutant(_TWOS, _TWOS_TOTAL, "tl.sum(powers, axis=0), 1.0", "1.0, tl.sum(powers, axis=0)"),
    ],
}

_QUERIES = "queries = tl.load(q + query[:, None] * q_token + dim[None, :], mask=query[:, None] < q_len, other=0.0)"
_KEYS = "keys = tl.load(k + key[None, :] * k_token + dim[:, None], mask=key[None, :] < k_len, other=0.0)"
_VALUES = "values = tl.load(v + key[:, None] * v_token + v_dim[None, :], mask=key[:, None] < k_len, other=0.0)"
_X = "x = tl.load(q + b * q_batch + h * q_head + i[:, None] * q_token + d[None, :], mask=i[:, None] < q_len, other=0.0)"
_ATTENTION = {
    _EITHER_ORDER: [
        "solution: new = tl.maximum(largest, tl.max(scores, 1))  =>  new = tl.maximum(tl.max(scores, 1), largest)",
        f"{_TWOS}: top = tl.maximum(top, tl.max(s, axis=1))  =>  top = tl.maximum(tl.max(s, axis=1), top)",
        _mutant(_TWOS, "total = tl.fma(total, fade, tl.sum(p, axis=1))", "total, fade", "fade, total"),
    ],
    _MINUS_ZERO: [
        *(_mutant("solution", line, "=0.0", "=-0.0") for line in (_QUERIES, _VALUES)),
        _mutant(_TWOS, _X, "=0.0", "=-0.0"),
        _mutant(_TWOS, "z = tl.load(v_place, mask=inside[:, None], other=0.0)", "=0.0", "=-0.0"),
    ],
    _MASKED_LATER: [_mutant("solution", _KEYS, "=0.0", "=1.0")],
}

_CAUSAL_QUERIES = "queries = tl.load(q + q_place, mask=query[:, None] < q_len, other=0.0)"
_CAUSAL_X = "x = tl.load(q + i * HEAD_DIM + d[None, :], mask=i < q_len, other=0.0)"
_RESULT = "result = weighted / tl.where(total == 0.0, 1.0, total)[:, None]"
_O = "o = tl.where(total > 0.0, acc / tl.where(total > 0.0, total, 1.0), 0.0)"
_CAUSAL = {
    _NEVER_STORED: [
        _mutant("solution", _CAUSAL_QUERIES, ", other=0.0", ""),
        _mutant(_BACK, _CAUSAL_X, ", other=0.0", ""),
    ],
    _MASKED_LATER: [
        _mutant(_BACK, "y = tl.load(k + key * HEAD_DIM + d[:, None], mask=key < k_len, other=0.0)", ", other=0.0", ""),
    ],
    _EITHER_ORDER: [
        "solution: new = tl.maximum(largest, tl.max(tl.where(allowed, scores, -1e+30), 1))  =>  "
        "new = tl.maximum(tl.max(tl.where(allowed, scores, -1e+30), 1), largest)",
    ],
    _MINUS_ZERO: [
        _mutant("solution", _CAUSAL_QUERIES, "=0.0", "=-0.0"),
        _mutant("solution", "keys = tl.load(k + k_place, mask=key[:, None] < k_len, other=0.0)", "=0.0", "=-0.0"),
        _mutant("solution", _RESULT, "0.0", "-0.0"),
        _mutant(_BACK, _CAUSAL_X, "=0.0", "=-0.0"),
        _mutant(_BACK, "z = tl.load(v + row * HEAD_DIM + d[None, :], mask=row < k_len, other=0.0)", "=0.0", "=-0.0"),
        _mutant(_BACK, _O, "total > 0.0", "total > -0.0"),
        _mutant(_BACK, _O, "tl.where(total > 0.0, total", "tl.where(total > -0.0, total"),
    ],
    _ANY_DIVISOR: [
        _mutant("solution", _RESULT, "1.0", "2.0"),
        _mutant(_BACK, _O, "total > 0.0", "total >= 0.0"),
        _mutant(_BACK, _O, "1.0", "-1.0"),
    ],
    _ANY_NUMBER: [_mutant(_BACK, "away = tl.where(new == float('-inf'), 0.0, new)", "0.0", "1.0")],
}

_GROUPED_QUERIES = "queries = tl.load(q + query[:, None] * token + dim[None, :], mask=query[:, None] < seq, other=0.0)"
_GROUPED_KEYS = "keys = tl.load(k + key[None, :] * token + dim[:, None], mask=key[None, :] < seq, other=0.0)"
_GROUPED_VALUES = "values = tl.load(v + key[:, None] * token + dim[None, :], mask=key[:, None] < seq, other=0.0)"
_GROUPED_X = "x = tl.load(qkv + ((b * seq + i) * slots + h) * HEAD_DIM + d, mask=i < seq, other=0.0)"
_GROUPED_Y = "y = tl.load(place, mask=j < seq, other=0.0)"
_GROUPED = {
    _NEVER_STORED: [_mutant(_SLOTS, _GROUPED_X, ", other=0.0", "")],
    _MASKED_LATER: [
        _mutant("solution", _GROUPED_KEYS, ", other=0.0", ""),
        _mutant("solution", _GROUPED_KEYS, "=0.0", "=1.0"),
        _mutant(_SLOTS, _GROUPED_Y, ", other=0.0", ""),
    ],
    _MINUS_ZERO: [
        *(_mutant("solution", line, "=0.0", "=-0.0") for line in (_GROUPED_QUERIES, _GROUPED_VALUES)),
        *(_mutant(_SLOTS, line, "=0.0", "=-0.0") for line in (_GROUPED_X, _GROUPED_Y)),
    ],
}

EQUIVALENT_TRITON: dict[str, dict[str, list[str]]] = {
    "triton-row-softmax": _SOFTMAX,
    "triton-attention": _ATTENTION,
    "triton-causal-attention": _CAUSAL,
    "triton-grouped-attention": _GROUPED,
}
