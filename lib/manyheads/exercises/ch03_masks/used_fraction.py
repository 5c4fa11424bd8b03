"""used-fraction: which share of the scores a causal model needs."""

from fractions import Fraction

from manyheads.exercises import sizes
from manyheads.exercises.definition import Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(q_len, k_len):
    return float(Fraction(2 * k_len - q_len + 1, 2 * k_len))


def _case(rng, about, probe=False, **ranges):
    return Case(about, sizes.draw(rng, **ranges), probe)


def _square(rng):
    n = int(rng.integers(4, 12))
    return [
        Case("as many queries as keys", {"q_len": n, "k_len": n}),
        # Tell apart which of the two sizes a formula uses.
        _case(rng, "fewer queries than keys", probe=True, q_len=(4, 9), k_len=(11, 19)),
    ]


def _fewer(rng):
    return [
        _case(rng, "fewer queries than keys", q_len=(4, 9), k_len=(11, 19)),
        _case(rng, "a single query, as in decoding", q_len=(1, 1), k_len=(11, 19)),
    ]


def _long(rng):
    # A mask of this size fits into no computer: whoever tries is refused at once, instead of waiting for the disk.
    return [
        _case(rng, "more scores than fit into memory", q_len=(15_000_000, 17_000_000), k_len=(20_000_000, 23_000_000))
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _rectangle_and_triangle(q_len, k_len):
    rectangle = q_len * (k_len - q_len)
    triangle = q_len * (q_len + 1) // 2
    return (rectangle + triangle) / (q_len * k_len)


def _mean_row(q_len, k_len):
    first_row = k_len - q_len + 1
    return (first_row + k_len) / 2 / k_len


def _without_the_forbidden(q_len, k_len):
    forbidden = (q_len - 1) * q_len // 2
    return 1 - forbidden / (q_len * k_len)


def _difference_of_triangles(q_len, k_len):
    earlier = k_len - q_len
    allowed = k_len * (k_len + 1) // 2 - earlier * (earlier + 1) // 2
    return allowed / q_len / k_len


# -- known mistakes ------------------------------------------------------------------------------------


def _half(q_len, k_len):
    return 0.5


def _itself_excluded(q_len, k_len):
    return (2 * k_len - q_len - 1) / (2 * k_len)


def _saved(q_len, k_len):
    return (q_len - 1) / (2 * k_len)


def _top_left(q_len, k_len):
    return (q_len + 1) / (2 * k_len)


def _square_of_keys(q_len, k_len):
    return (k_len + 1) / (2 * k_len)


def _square_of_queries(q_len, k_len):
    return (q_len + 1) / (2 * q_len)


def _diagonal_halved(q_len, k_len):
    return (2 * k_len - q_len) / (2 * k_len)


def _floored(q_len, k_len):
    return (2 * k_len - q_len + 1) // (2 * k_len)


def _exchanged(q_len, k_len):
    return (2 * q_len - k_len + 1) / (2 * q_len)


def _over_all_queries(q_len, k_len):
    return (2 * k_len - q_len + 1) / (2 * q_len)


def _inverse(q_len, k_len):
    return 2 * k_len / (2 * k_len - q_len + 1)


def _twice(q_len, k_len):
    return (2 * k_len - q_len + 1) / k_len


def _over_all_keys(q_len, k_len):
    return q_len * (2 * k_len - q_len + 1) / (2 * k_len * k_len)


def _percent(q_len, k_len):
    return 100 * (2 * k_len - q_len + 1) / (2 * k_len)


def _count(q_len, k_len):
    return q_len * (2 * k_len - q_len + 1) // 2


EXERCISE = Exercise(
    name="used-fraction",
    title="How much a causal mask saves",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("q_len", "whole number, at least 1: queries; they are the last tokens"),
        Parameter("k_len", "whole number: keys, at least q_len"),
    ),
    returns=(Output("result", None, "float"),),
    reference=_reference,
    tolerance={"float64": 1e-13},
    aspects=(
        Aspect("square", 1, "as many queries as keys", _square),
        Aspect("fewer queries", 1, "fewer queries than keys, and a single one", _fewer),
        Aspect("long", 1, "millions of tokens, for which no mask can be made", _long),
    ),
    example=">>> used_fraction(4, 4)\n0.625\n>>> used_fraction(1, 4)\n1.0",
    hints=(
        "Draw the masks for 4 queries and 4 keys, and for 2 queries and 4 keys, and count the True.",
        "The last row has k_len of them, and each row above has one less. How many has the first row? How many has a "
        "row on average?",
        "Do not make the mask: a formula needs the two numbers only.",
    ),
    alternatives={
        "a rectangle and a triangle": _rectangle_and_triangle,
        "the mean row": _mean_row,
        "all but the forbidden": _without_the_forbidden,
        "a difference of two triangles": _difference_of_triangles,
    },
    mistakes=(
        Mistake(
            "half",
            _half,
            "One half is what the share comes near in a long square. The diagonal belongs to it too, and with fewer "
            "queries than keys it is more.",
            "Half of the work",
        ),
        Mistake(
            "itself-excluded",
            _itself_excluded,
            "You left out the diagonal. A token may attend to itself, so a row of the mask has one True more than you "
            "counted.",
            "Half of the work",
        ),
        Mistake(
            "saved",
            _saved,
            "That is the share which is saved. Asked for is the share which is needed; together they are 1.",
            "Half of the work",
        ),
        Mistake(
            "top-left",
            _top_left,
            "You counted as if the first query saw one key only. The queries are the last tokens: the last one sees "
            "all k_len keys, and the one before it k_len - 1.",
            "Two corners",
            loses=("fewer queries", "long"),
        ),
        Mistake(
            "square-of-keys",
            _square_of_keys,
            "This is right for k_len queries. Here there are q_len of them, the last ones, and these see more than the "
            "average.",
            "Half of the work",
            loses=("fewer queries", "long"),
        ),
        Mistake(
            "square-of-queries",
            _square_of_queries,
            "You took the share of a square of q_len keys. Every query sees all the keys before these, too.",
            "Half of the work",
            loses=("fewer queries", "long"),
        ),
        Mistake(
            "diagonal-halved",
            _diagonal_halved,
            "You have half a key too few for each query. Steps are not a straight edge: 1 + 2 + 3 + 4 is 10 and not "
            "4 * 4 / 2, because the diagonal is allowed as a whole.",
            "Half of the work",
        ),
        Mistake(
            "floored",
            _floored,
            "Your share is cut down to a whole number. // rounds down, / does not.",
            "Half of the work",
        ),
        Mistake(
            "exchanged",
            _exchanged,
            "You exchanged q_len and k_len. With as many queries as keys it does not show; the rows are the queries', "
            "and there are q_len of them.",
            "Half of the work",
            loses=("fewer queries", "long"),
        ),
        Mistake(
            "over-all-queries",
            _over_all_queries,
            "You divided by q_len * q_len. Each of the q_len rows has k_len scores, so it is a share of q_len * k_len.",
            "Half of the work",
            loses=("fewer queries", "long"),
        ),
        Mistake(
            "inverse",
            _inverse,
            "You divided all scores by those that are needed. A share is the other way round, and at most 1.",
            "Half of the work",
        ),
        Mistake(
            "twice",
            _twice,
            "You have twice the share. The mean of the first and the last row needs a division by 2. No share is over "
            "1.",
            "Half of the work",
        ),
        Mistake(
            "over-all-keys",
            _over_all_keys,
            "You divided by k_len * k_len. There are only q_len rows of scores, so it is a share of q_len * k_len.",
            "Half of the work",
            loses=("fewer queries", "long"),
        ),
        Mistake(
            "percent",
            _percent,
            "That is in percent. Asked for is a share of 1: 0.625 and not 62.5.",
            "Half of the work",
        ),
        Mistake(
            "count",
            _count,
            "You counted the scores that are needed. Divide by all of them, q_len * k_len, for the share.",
            "Half of the work",
        ),
    ),
)
