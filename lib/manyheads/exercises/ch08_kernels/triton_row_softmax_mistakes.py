"""The known mistakes of triton-row-softmax."""

from manyheads.exercises.ch08_kernels.triton_row_softmax_answers import ANSWER
from manyheads.exercises.definition import Mistake

_TRITON, _WHERE, _LIMITS = "The same in Triton", "Where an element lives", "What a GPU has, and runs out of"
_FILLER = 'mask=inside, other=float("-inf")).to(tl.float32)'

MISTAKES = (
    Mistake(
        "lanes-past-the-end-count",
        ANSWER.changed(('other=float("-inf")', "other=0.0")),
        "The lanes past the end of the row have a score of 0, and exp gives them a share of the total. Fill them with "
        "-inf, whose exponential is 0.",
        _TRITON,
    ),
    Mistake(
        "store-without-a-mask",
        ANSWER.changed(("weight, mask=inside)", "weight)")),
        "Lanes past the end of the row are loaded or stored too, and in the last row they are past the end of the "
        "array. Give tl.load and tl.store the mask `column < length`.",
        _TRITON,
    ),
    Mistake(
        "lanes-without-a-filler",
        ANSWER.changed((', other=float("-inf")', "")),
        "The lanes past the end of the row make all of it NaN: without `other`, what tl.load puts there is undefined. "
        'Give it other=float("-inf"), whose exponential is 0.',
        _TRITON,
    ),
    Mistake(
        "last-score-lost",
        ANSWER.changed(
            (_FILLER, 'mask=column < length - 1, other=float("-inf")).to(tl.float32)'),
        ),
        "The last score of each row does not count: its weight is 0. The columns are 0 to length - 1, so the mask is "
        "`column < length`.",
        _TRITON,
    ),
    Mistake(
        "not-divided",
        ANSWER.changed(("powers / tl.where(total == 0.0, 1.0, total)", "powers")),
        "The weights of a row do not add up to 1: the exponentials are not divided by their sum.",
        _TRITON,
    ),
    Mistake(
        "powers-of-two",
        ANSWER.changed(("tl.exp(", "tl.exp2(")),
        "Your weights are shares of 2 to the power of the score, not of e. For tl.exp2 the scores have to be "
        "multiplied by log2(e), about 1.4427, first.",
        _TRITON,
    ),
    Mistake(
        "total-of-the-scores",
        ANSWER.changed(
            ("tl.sum(powers, 0)", "tl.abs(tl.sum(tl.where(x > float('-inf'), x, 0.0), 0))"),
        ),
        "You divide by the sum of the scores. The weights add up to 1 when you divide by the sum of the exponentials.",
        _TRITON,
    ),
    Mistake(
        "gaps-between-rows-ignored",
        ANSWER.changed(("row * scores_row", "row * length")),
        "You find a row of scores at row * length, as if the rows lay one behind the other without gaps. Row r begins "
        "r * scores_row numbers after the first.",
        _WHERE,
        loses=("any strides",),
    ),
    Mistake(
        "gaps-between-columns-ignored",
        ANSWER.changed(("column * scores_column", "column")),
        "You read numbers that stand side by side. The next column of scores is scores_column numbers farther on.",
        _WHERE,
        loses=("any strides",),
    ),
    Mistake(
        "strides-of-the-scores-for-the-weights",
        ANSWER.changed(("row * weights_row + column * weights_column", "row * scores_row + column * scores_column")),
        "You store with the strides of scores. The array of weights has its own: weights_row and weights_column.",
        _WHERE,
        loses=("any strides",),
    ),
    Mistake(
        "gaps-between-the-weights-ignored",
        ANSWER.changed(("row * weights_row + column * weights_column", "row * length + column")),
        "You store at row * length + column, as if weights had no gaps. Its strides are weights_row and "
        "weights_column.",
        _WHERE,
        loses=("any strides",),
    ),
    Mistake(
        "no-gaps-anywhere",
        ANSWER.changed(
            ("row * scores_row + column * scores_column", "row * length + column"),
            ("row * weights_row + column * weights_column", "row * length + column"),
        ),
        "You find both arrays at row * length + column, as if there were no gaps. Each has two strides of its own, and "
        "the launch gives them.",
        _WHERE,
        loses=("any strides",),
    ),
    Mistake(
        "columns-of-the-weights-side-by-side",
        ANSWER.changed(("column * weights_column", "column")),
        "You store the weights of a row side by side. The next column of weights is weights_column numbers farther on.",
        _WHERE,
        loses=("any strides",),
    ),
    Mistake(
        "forbidden-row-uniform",
        ANSWER.changed((_FILLER, _FILLER + "\n    x = tl.maximum(x, tl.where(inside, -1.0e30, x))")),
        "A row of nothing but -inf gets equal weights. A large negative number in place of -inf does that: all scores "
        "of the row are the same then.",
        _TRITON,
        loses=("forbidden",),
    ),
    Mistake(
        "forbidden-row-not-a-number",
        ANSWER.changed(('    largest = tl.where(largest == float("-inf"), 0.0, largest)\n', "")),
        "A row of nothing but -inf ends as NaN: -inf minus -inf is no number, and what is never stored counts as NaN "
        "too. Take away 0 where the largest score is -inf, do not divide by a total of 0, and store the zeros.",
        _TRITON,
        loses=("forbidden",),
    ),
    Mistake(
        "largest-not-taken-away",
        ANSWER.changed(("tl.exp(x - largest)", "tl.exp(x)")),
        "Where scores are large the exponential overflows, and infinity over infinity is NaN. Take the largest score "
        "of the row away first.",
        _TRITON,
        loses=("large scores",),
    ),
    Mistake(
        "rounded-before-the-division",
        ANSWER.changed(
            ("total = tl.sum(powers, 0)", "total = tl.sum((powers * 1024.0).to(scores.dtype.element_ty), 0) / 1024.0")
        ),
        "The total is summed up in float16, which overflows beyond 65,504. Sum in float32, and let tl.store round.",
        _LIMITS,
        loses=("half precision",),
    ),
)
