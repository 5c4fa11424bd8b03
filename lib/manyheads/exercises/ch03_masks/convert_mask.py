"""convert-mask: between the three ways in which libraries say who may attend."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


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


# -- known mistakes ------------------------------------------------------------------------------------


def _have_ignored(mask, have, want):
    allowed = mask if mask.dtype == bool else mask > -np.inf
    if want == "allow":
        return allowed
    if want == "forbid":
        return ~allowed
    return np.where(allowed, 0, -np.inf).astype(np.float32)


def _forbid_never_made(mask, have, want):
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, -np.inf).astype(np.float32)
    return allowed


def _nonzero_allows(mask, have, want):
    allowed = mask.astype(bool) if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, -np.inf).astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _zero_only_allows(mask, have, want):
    allowed = mask == 0 if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, -np.inf).astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _large_numbers_forbid(mask, have, want):
    allowed = mask > -1e4 if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, -np.inf).astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _bias_inverted(mask, have, want):
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, -np.inf, 0).astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _ones_and_zeros(mask, have, want):
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return allowed.astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _stand_in(mask, have, want):
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, -1e9).astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _numbers_lost(mask, have, want):
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, -np.inf).astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _zero_times_infinity(mask, have, want):
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return (~allowed * -np.inf).astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _float64_bias(mask, have, want):
    if have == want:
        return mask
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, -np.inf)
    return allowed if want == "allow" else ~allowed


EXERCISE = Exercise(
    name="convert-mask",
    title="Three conventions for one mask",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("mask", 'array (q_len, k_len): booleans, or float32 where have is "bias"'),
        Parameter("have", '"allow", "forbid" or "bias": the convention of mask'),
        Parameter("want", 'the convention of the result; "bias" gives float32, the other two give booleans'),
    ),
    returns=(Output("result", ("q_len", "k_len"), "bool"),),
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
    mistakes=(
        Mistake(
            "have-ignored",
            _have_ignored,
            'You read every boolean mask as "allow". What True means depends on `have`; the array itself does not '
            "tell.",
            "Three conventions",
            loses=("to allow", "to bias", "unchanged"),
        ),
        Mistake(
            "forbid-never-made",
            _forbid_never_made,
            'For want="forbid" you returned what is allowed. There True means: must not attend.',
            "Three conventions",
            loses=("to forbid", "unchanged"),
        ),
        Mistake(
            "nonzero-allows",
            _nonzero_allows,
            "You read a bias as if it were truth: 0 as no, all else as yes. A bias is added to the scores, so 0 "
            "changes nothing, and minus infinity (not zero, and so True) forbids.",
            "Three conventions",
            loses=("to allow", "to forbid", "unchanged"),
        ),
        Mistake(
            "zero-only-allows",
            _zero_only_allows,
            "You took every bias but 0 for forbidden. A finite number makes a key more or less likely, and the query "
            "may attend to it all the same. Only minus infinity forbids.",
            "Three conventions",
            loses=("to allow", "to forbid", "unchanged"),
        ),
        Mistake(
            "large-numbers-forbid",
            _large_numbers_forbid,
            "You took -1e9 for forbidden. It usually comes to the same, but in a row where nothing is better it allows "
            "everything. In this exercise only minus infinity forbids.",
            "Rows with no key",
            loses=("to allow", "to forbid", "unchanged"),
        ),
        Mistake(
            "bias-inverted",
            _bias_inverted,
            "Your bias is minus infinity where the query may attend. It is added to the scores: 0 leaves a score as it "
            "is, minus infinity makes its weight 0.",
            "Three conventions",
            loses=("to bias", "unchanged"),
        ),
        Mistake(
            "ones-and-zeros",
            _ones_and_zeros,
            "Your bias is 1 where allowed and 0 where not. It is added to the scores, and so would forbid nothing: "
            "allowed is 0, forbidden is minus infinity.",
            "Before the softmax",
            loses=("to bias", "unchanged"),
        ),
        Mistake(
            "stand-in",
            _stand_in,
            "You wrote a large negative number for minus infinity. In a row where every key is forbidden it forbids "
            "none, and float16 cannot hold it.",
            "Rows with no key",
            loses=("to bias", "unchanged"),
        ),
        Mistake(
            "numbers-lost",
            _numbers_lost,
            "From bias to bias you lost the finite numbers: they went through a yes or no. The same convention in and "
            "out changes nothing.",
            "Three conventions",
            loses=("unchanged",),
        ),
        Mistake(
            "zero-times-infinity",
            _zero_times_infinity,
            "Zero times infinity is NaN, so every allowed entry became NaN. Choose between 0 and minus infinity "
            "instead of multiplying.",
            "Three conventions",
            loses=("to bias", "unchanged"),
        ),
        Mistake(
            "float64-bias",
            _float64_bias,
            "The numbers are right, but np.where made a float64 array. A bias is float32 here: added to float32 "
            "scores, a float64 one would make everything after it float64.",
            "What goes wrong and does not crash",
            loses=("to bias",),
        ),
    ),
)
