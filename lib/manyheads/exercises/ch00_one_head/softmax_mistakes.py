"""The known mistakes of softmax, and what is said of each."""

from manyheads.exercises.ch00_one_head import softmax_answers as answers
from manyheads.exercises.definition import Mistake

_NO_EPSILON = (
    "Something was added to the denominator. Then no row sums to 1, and every weight is a little too small. It is "
    "not needed: once the row's maximum is taken off, one term is 1, so the sum is 0 for empty rows only."
)

_OVERFLOW = (
    "You took the exponential of the scores as they are. Near 710 it overflows to infinity, far below 0 it vanishes. "
)

_TAKE_IT_OFF = " Take the row's maximum off first; it cancels."

_BELOW_ZERO = (
    "Rows far below 0 are lost: what you took off them was 0 or more, and their maximum is far less. After that all "
    "their exponentials vanish, and so does the sum. Take off what the row's own maximum is, also if it is negative."
)

_MAXIMUM_OF_THE_ROW = (
    "You took the maximum of the whole array off every row. Beside a row in the thousands, all exponentials of a lower "
    "row vanish, and so does its sum. Take each row's own maximum: axis=-1, keepdims=True."
)

MISTAKES = (
    Mistake(
        "over-the-queries",
        answers.over_the_queries,
        "Your softmax runs over the queries, so the columns sum to 1. It belongs on the last axis, the keys: "
        "each query has one whole to share out.",
        "From scores to weights",
    ),
    Mistake(
        "over-the-batch",
        answers.over_the_batch,
        "Your softmax runs over the batch (axis 0), and so mixes sequences that have nothing to do with each "
        "other. It belongs on the last axis, the keys.",
        "From scores to weights",
    ),
    Mistake(
        "over-everything",
        answers.over_everything,
        "You divided by the sum over the whole array, so all weights together sum to 1. Each row has to: sum over "
        "the last axis, with keepdims=True.",
        "From scores to weights",
    ),
    Mistake(
        "no-maximum",
        answers.no_maximum,
        _OVERFLOW
        + "The quotient is NaN."
        + _TAKE_IT_OFF
        + " A row with nothing allowed is 0 by 0, and NaN whatever you "
        "take off: give it zeros.",
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "no-maximum-guarded",
        answers.no_maximum_guarded,
        _OVERFLOW + "Guarding against a sum of 0 helps in neither case: infinity by infinity is NaN, and rows far "
        "below 0 come out as zeros." + _TAKE_IT_OFF,
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "no-maximum-nan-to-zero",
        answers.no_maximum_nan_to_zero,
        "Where scores are large, all your weights are 0: the exponential overflows or vanishes, and the NaN that "
        "comes of it was replaced by 0. That hides it." + _TAKE_IT_OFF,
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "maximum-at-least-0",
        answers.maximum_at_least_0,
        _BELOW_ZERO,
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "maximum-at-least-0-guarded",
        answers.maximum_at_least_0_guarded,
        _BELOW_ZERO,
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "maximum-of-each-column",
        answers.maximum_of_each_column,
        "You took the maximum over axis 1, the queries, and the sum over the keys. Then each score of a row loses "
        "another number, which changes the weights. Both belong on the last axis.",
        "Scores too large for the exponential",
    ),
    Mistake(
        "maximum-of-everything",
        answers.maximum_of_everything,
        _MAXIMUM_OF_THE_ROW,
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "maximum-of-everything-guarded",
        answers.maximum_of_everything_guarded,
        _MAXIMUM_OF_THE_ROW + " Your guard against a sum of 0 turned those rows to zeros.",
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "clipped-scores",
        answers.clipped,
        "You clipped the scores to keep the exponential from overflowing. Scores beyond the bound become equal, "
        "and minus infinity becomes an ordinary score. Take the row's maximum off instead.",
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "clipped-above",
        answers.clipped_above,
        "Scores above some bound became equal, and rows far below 0 came out as zeros. A bound on the scores does "
        "not keep their differences. Take the row's maximum off instead.",
        "Scores too large for the exponential",
        loses=("large scores", "empty rows"),
    ),
    Mistake(
        "tiny-weights-dropped",
        answers.tiny_weights_dropped,
        "Weights under about a millionth came out as 0. Only a score of minus infinity has the weight 0; how small "
        "a weight may be is not for softmax to say.",
        "From scores to weights",
        loses=("values",),
    ),
    Mistake(
        "epsilon-in-the-denominator",
        answers.epsilon,
        _NO_EPSILON,
        "A row with nothing allowed",
        loses=("values", "large scores", "empty rows"),
    ),
    Mistake(
        "larger-epsilon-in-the-denominator",
        answers.larger_epsilon,
        _NO_EPSILON,
        "A row with nothing allowed",
        loses=("values", "large scores", "empty rows"),
    ),
    Mistake(
        "much-larger-epsilon-in-the-denominator",
        answers.much_larger_epsilon,
        _NO_EPSILON,
        "A row with nothing allowed",
        loses=("values", "large scores", "empty rows"),
    ),
    Mistake(
        "smaller-epsilon-in-the-denominator",
        answers.smaller_epsilon,
        _NO_EPSILON,
        "A row with nothing allowed",
        loses=("values", "large scores", "empty rows"),
    ),
    Mistake(
        "base-two",
        answers.base_two,
        "You took powers of 2. Softmax takes powers of e: np.exp.",
        "From scores to weights",
    ),
    Mistake(
        "length-one",
        answers.length_one,
        "You divided by the root of the sum of squares, which makes the length of a row 1. Weights have to sum "
        "to 1: divide by the sum.",
        "From scores to weights",
    ),
    Mistake(
        "not-normalised",
        answers.not_normalised,
        "Those are the exponentials, with the largest of each row at 1. Divide each row by its sum, so that the "
        "row sums to 1.",
        "From scores to weights",
    ),
    Mistake(
        "sign-turned",
        answers.sign_turned,
        "The smallest score got the largest weight: the sign of the exponent is turned, as in maximum minus score. "
        "Subtract the maximum from the scores.",
        "Scores too large for the exponential",
    ),
    Mistake(
        "nan-in-empty-rows",
        answers.nan_in_empty_rows,
        "In a row of nothing but minus infinity, you took minus infinity from itself, which is NaN. Such a row has "
        "nothing to attend to, and gets zeros.",
        "A row with nothing allowed",
        loses=("empty rows",),
    ),
    Mistake(
        "finite-fill",
        answers.finite_fill,
        "Your empty rows are even: 1/k_len for each key, all of them forbidden. A large negative number in place "
        "of minus infinity does that, and so does turning a NaN to 0 before the exponential. They have to be "
        "zeros.",
        "A row with nothing allowed",
        loses=("empty rows",),
    ),
    Mistake(
        "small-fill",
        answers.small_fill,
        "A number like -100 or -1000 stood in for minus infinity. In a row of scores below that, the forbidden "
        "keys get all the weight, and an empty row becomes even. Leave minus infinity as it is; its exponential "
        "is 0.",
        "A row with nothing allowed",
        loses=("empty rows",),
    ),
    Mistake(
        "forbidden-keys-in-the-maximum",
        answers.forbidden_keys_in_the_maximum,
        "Rows far below 0 with a forbidden key came out as zeros. When the maximum was taken, a number such as 0, "
        "-100 or -1000 stood for minus infinity, and it was larger than all allowed scores. The maximum is that of "
        "the allowed scores alone.",
        "A row with nothing allowed",
        loses=("empty rows",),
    ),
    Mistake(
        "zero-for-minus-infinity",
        answers.zero_for_minus_infinity,
        "You replaced minus infinity by the score 0. Its exponential is 1, so a forbidden key gets a share like "
        "any other. Its weight has to be 0.",
        "A row with nothing allowed",
        loses=("empty rows",),
    ),
    Mistake(
        "zeroed-after-the-sum",
        answers.zeroed_after_the_sum,
        "Forbidden keys get weight 0, but they were in the sum by which you divided: the others sum to less than "
        "1. They must not count in the sum.",
        "A row with nothing allowed",
        loses=("empty rows",),
    ),
    Mistake(
        "any-for-all",
        answers.any_for_all,
        "You set every row to 0 in which some key is forbidden. Only a row in which all are is empty; the others "
        "share out one whole among the keys that are left.",
        "A row with nothing allowed",
        loses=("empty rows",),
    ),
    Mistake(
        "float64-result",
        answers.float64_result,
        "Your result is float64. The weights must have the dtype of the scores: computing wider is fine, if "
        "you come back with .astype(scores.dtype).",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
    Mistake(
        "float64-buffer",
        answers.float64_buffer,
        "Your result is float64. np.zeros and np.empty make that unless told otherwise. The weights must have the "
        "dtype of the scores.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
