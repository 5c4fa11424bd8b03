"""What a function asks of its suppliers can earn points, and is told apart by what it asks."""

import math

import numpy as np
import pytest
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter
from manyheads.exercises.supply import Supply
from manyheads.grading.judge import judge, run_case
from manyheads.grading.verify.trial import draw


def _total(tile, n):
    return sum(tile(i, i + 1) for i in range(n))


def _every_pair(tile, n):
    return [sum(tile(i, j) for j in range(n + 1) if j == i + 1 or tile(i, j) is None) for i in range(n)] and _total(
        tile, n
    )


def _twice(tile, n):
    return max(_total(tile, n) for _ in range(2))


def _from_the_first(tile, n):
    first = tile(0, 1)
    return sum(first + 20 * i for i in range(n))


def _cases(counts):
    def cases(rng):
        first = int(rng.integers(1, 9))
        return [Case("a few", {"tile": Supply(lambda i, j: first + 10 * (i + j) - 10), "n": 3}, asks=counts)]

    return cases


EXERCISE = Exercise(
    name="total-of-tiles",
    title="Total",
    chapter="07-tiles",
    version=1,
    parameters=(Parameter("tile", "a function"), Parameter("n", "int")),
    returns=(Output("total", None, "int"),),
    reference=_total,
    aspects=(Aspect("total", 1, "the sum", _cases(False)), Aspect("tiles", 1, "the calls", _cases(True))),
    mistakes=(
        Mistake("every-pair", _every_pair, "You ask for all.", "Tiles", loses=("tiles",)),
        Mistake("twice", _twice, "You ask twice.", "Tiles", loses=("tiles",)),
    ),
    alternatives={},
    tolerance=EXACT,
)


def verdict(function, aspect="tiles", seed=1):
    cases = EXERCISE.aspect(aspect).cases(np.random.default_rng(seed))
    return judge(EXERCISE, EXERCISE.aspect(aspect), cases, [run_case(function, case) for case in cases])


def _backwards(tile, n):
    return sum(tile(np.int64(i), np.int64(i) + 1) for i in reversed(range(n)))


def test_any_order_and_numpys_numbers_are_fine():
    assert verdict(_backwards).right
    assert verdict(_backwards).notes == ()


@pytest.mark.parametrize(
    ("function", "mistake", "told"),
    [
        (_every_pair, "every-pair", "calls tile(0, 0) and 8 others, which is not needed"),
        (_twice, "twice", "calls tile(0, 1) 2 times; once is enough"),
        (_from_the_first, None, "never calls tile(1, 2) and 1 other, which is needed"),
    ],
)
def test_other_calls_lose_the_aspect_that_counts_them_and_no_other(function, mistake, told):
    found = verdict(function)
    assert not found.right and found.earned == 0
    assert told in found.first.problem.message
    assert (found.mistake.name if found.mistake else None) == mistake
    assert verdict(function, "total").right


def test_a_wrong_number_is_told_before_the_calls():
    assert verdict(lambda tile, n: 1 + _twice(tile, n)).first.problem.kind == "values"


def test_every_run_of_a_case_starts_with_nothing_asked():
    (case,) = EXERCISE.aspect("tiles").cases(np.random.default_rng(0))
    first, second = (run_case(_total, case) for _ in range(2))
    assert first.asked == second.asked == {"tile": {(0, 1): 1, (1, 2): 1, (2, 3): 1}}


def test_a_proof_accepts_by_the_calls_too():
    drawn = draw(EXERCISE, range(3))
    assert all(one.accepts(_backwards) for one in drawn)
    assert [one.accepts(_twice) for one in drawn] == [one.aspect.name == "total" for one in drawn]


def test_what_a_supplier_refuses_is_told_with_the_students_line():
    case = Case("none", {"tile": Supply(math.log), "n": 1}, asks=True)  # log(0, 1) does not exist
    outcome = run_case(_backwards, case)
    assert (outcome.exception, outcome.message) == ("ValueError", "math domain error")
    assert "tile(np.int64(i)" in outcome.line
