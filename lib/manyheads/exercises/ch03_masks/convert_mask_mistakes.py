"""Wrong answers to convert-mask."""

import numpy as np

from manyheads.exercises.definition import Mistake


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


def _lowest_number(mask, have, want):
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, np.finfo(np.float32).min).astype(np.float32)
    return allowed if want == "allow" else ~allowed


def _smaller_stand_in(mask, have, want):
    allowed = mask > -np.inf if have == "bias" else mask != (have == "forbid")
    if want == "bias":
        return np.where(allowed, 0, -1e5).astype(np.float32)
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


MISTAKES = (
    Mistake(
        "have-ignored",
        _have_ignored,
        'You read a "forbid" mask as if it were "allow". What True means depends on `have`; the array itself does '
        "not tell.",
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
        "You took large negative numbers, such as -1e9, for forbidden. It usually comes to the same, but in a row "
        "where nothing is better they allow everything. In this exercise only minus infinity forbids.",
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
        "You wrote -1e9 for minus infinity. In a row where every key is forbidden it forbids "
        "none, and float16 cannot hold it.",
        "Rows with no key",
        loses=("to bias", "unchanged"),
    ),
    Mistake(
        "lowest-number",
        _lowest_number,
        "You wrote the lowest number that float32 has for minus infinity. It is a number all the same: in a row "
        "where every key is forbidden it forbids none.",
        "Rows with no key",
        loses=("to bias", "unchanged"),
    ),
    Mistake(
        "smaller-stand-in",
        _smaller_stand_in,
        "You wrote -1e5 for minus infinity. In a row where every key is forbidden it forbids none, and a score "
        "below it makes a forbidden key the best one.",
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
        "What goes wrong and does not crash",
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
)
