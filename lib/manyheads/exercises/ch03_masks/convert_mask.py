"""convert-mask: between the three ways in which libraries say who may attend."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch03_masks import convert_mask_mistakes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(mask, have, want):
    if have == want:
        return mask
    # Finite numbers allow here: reference.bias_to_mask, which knows stand-ins such as -1e9, asks another question.
    allowed = mask != -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return reference.mask_to_bias(allowed)
    return allowed if want == "allow" else reference.flip_mask(allowed)


def _case(rng, have, want, probe=False):
    s = sizes.draw(rng, q_len=(3, 5), k_len=(6, 8))
    size = s["q_len"] * s["k_len"]
    numbers = np.array([0.0, -np.inf, -1e9, np.finfo(np.float32).min, -0.5, 2.0], np.float32)
    every = numbers if have == "bias" else np.array([False, True])
    # Each kind of entry occurs twice at least; the rest are drawn.
    entries = rng.permutation(np.concatenate([every, every, rng.choice(every, size - 2 * len(every))]))
    mask = entries.reshape(s["q_len"], s["k_len"])
    return Case(f"{have} to {want}", {"mask": mask, "have": have, "want": want}, probe)


def _to(want, *haves):
    def cases(rng):
        return [_case(rng, have, want) for have in haves]

    return cases


def _same(rng):
    # The probe tells "everything read as allow" from "forbid never made".
    probe = _case(rng, "forbid", "allow", probe=True)
    return [*(_case(rng, one, one) for one in ("allow", "forbid", "bias")), probe]


# -- right answers by other techniques -----------------------------------------------------------------


def _exclusive_or(mask, have, want):
    if have == want:
        return mask
    allowed = np.isfinite(mask) if have == "bias" else mask ^ (have == "forbid")
    if want == "bias":
        bias = np.full(mask.shape, -np.inf, np.float32)
        bias[allowed] = 0
        return bias
    return allowed ^ (want == "forbid")


def _by_forbidden(mask, have, want):
    if have == want:
        return mask
    forbidden = np.isneginf(mask) if have == "bias" else mask == (have == "forbid")
    if want == "bias":
        bias = np.zeros(mask.shape, np.float32)
        bias[forbidden] = -np.inf
        return bias
    return forbidden == (want == "forbid")


def _one_by_one(mask, have, want):
    out = np.empty(mask.shape, np.float32 if want == "bias" else bool)
    for place, entry in np.ndenumerate(mask):
        allowed = bool(entry) == (have == "allow") if have != "bias" else not np.isneginf(entry)
        if have == want:
            out[place] = entry
        elif want == "bias":
            out[place] = 0 if allowed else -np.inf
        else:
            out[place] = allowed == (want == "allow")
    return out


def _what_forbids(mask, have, want):
    if have == want:
        return mask
    forbids = {"allow": False, "forbid": True, "bias": -np.inf}
    allows = {"allow": True, "forbid": False, "bias": np.float32(0)}
    return np.where(mask == forbids[have], forbids[want], allows[want])


EXERCISE = Exercise(
    name="convert-mask",
    title="Three conventions for one mask",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("mask", 'array (q_len, k_len): booleans, or float32 where have is "bias"'),
        Parameter("have", '"allow", "forbid" or "bias": the convention of mask'),
        Parameter("want", "the convention of the result, one of the same three"),
    ),
    returns=(
        Output(
            "result",
            ("q_len", "k_len"),
            "bool",
            about='an array (q_len, k_len): float32 for want "bias", else boolean. Where want is have, it is `mask` '
            "unchanged, the finite numbers of a bias included",
        ),
    ),
    reference=_reference,
    tolerance=EXACT,
    aspects=(
        Aspect("to allow", 1, "True where a query may attend", _to("allow", "forbid", "bias")),
        Aspect("to forbid", 1, "True where it must not", _to("forbid", "allow", "bias")),
        Aspect("to bias", 1, "0 where it may, minus infinity where it must not", _to("bias", "allow", "forbid")),
        Aspect("unchanged", 1, "the same convention in and out", _same),
    ),
    example=(
        '>>> convert_mask(np.array([[True, False]]), "allow", "forbid")\n'
        "array([[False,  True]])\n"
        '>>> convert_mask(np.array([[True, False]]), "allow", "bias")\n'
        "array([[  0., -inf]], dtype=float32)"
    ),
    hints=(
        "Three conventions make nine pairs. Choose one convention to go through, and you need three ways in and three "
        "out.",
        "Of all the numbers that a bias can hold, only one forbids. Which comparison finds it?",
        "A convention to itself may need a line of its own: a bias can hold more than a mask can say.",
    ),
    alternatives={
        "exclusive or": _exclusive_or,
        "through forbid": _by_forbidden,
        "one by one": _one_by_one,
        "a table of what forbids": _what_forbids,
    },
    mistakes=(*convert_mask_mistakes.MISTAKES,),
)
