"""The graders are right: over 20 seeds, every right answer is accepted and every known mistake refused by its name."""

import numpy as np
import pytest
from manyheads.exercises import NAMES, get
from manyheads.grading.judge import judge
from manyheads.grading.run import call

SEEDS = range(20)
ASPECTS = [(name, aspect.name) for name in NAMES for aspect in get(name).aspects]


def verdict(exercise, aspect, answer, seed):
    cases = aspect.cases(np.random.default_rng(seed))
    return judge(exercise, aspect, cases, [call(answer, case.inputs) for case in cases])


@pytest.mark.parametrize(("name", "aspect"), ASPECTS)
def test_right_answers_by_any_technique_are_accepted(name, aspect):
    exercise = get(name)
    for seed in SEEDS:
        for technique, answer in {"reference": exercise.reference, **exercise.alternatives}.items():
            found = verdict(exercise, exercise.aspect(aspect), answer, seed)
            assert found.right, (technique, seed, found.first)
            assert found.earned == found.aspect.points
            assert found.mistake is None


@pytest.mark.parametrize(("name", "aspect"), ASPECTS)
def test_every_known_mistake_loses_what_it_should_and_is_called_by_its_own_name(name, aspect):
    exercise = get(name)
    for seed in SEEDS:
        for mistake in exercise.mistakes:
            found = verdict(exercise, exercise.aspect(aspect), mistake.answer, seed)
            loses = aspect in exercise.lost_by(mistake)
            assert found.right is not loses, (mistake.name, seed)
            if loses:
                assert found.earned == 0
                assert found.mistake is mistake, (mistake.name, seed, found.mistake and found.mistake.name)


@pytest.mark.parametrize(("name", "aspect"), ASPECTS)
def test_the_starter_earns_nothing_and_is_told_apart_from_a_wrong_answer(name, aspect):
    def starter(*inputs):
        raise NotImplementedError

    found = verdict(get(name), get(name).aspect(aspect), starter, 0)
    assert found.earned == 0
    assert found.unwritten
    assert found.mistake is None


def spoiled(name, answer):
    """The reference's answer, spoiled in ways that have nothing to do with the exercise."""
    yield "one element off", lambda a: _with_element(a, a.flat[-1] + max(1.0, abs(a.flat[-1])) * 1e-3)
    yield "one element NaN", lambda a: _with_element(a, np.nan)
    yield "zeros", np.zeros_like
    yield "a shape with a 1", lambda a: a[None]
    yield "first row repeated", lambda a: np.broadcast_to(a[..., :1, :], a.shape).copy()
    yield "reversed", lambda a: a[..., ::-1]
    yield "first batch for all", lambda a: np.broadcast_to(a[:1], a.shape).copy()
    yield "another float", lambda a: a.astype("float16")
    yield "negated", np.negative


def _with_element(array, value):
    changed = array.copy()
    changed.flat[-1] = value
    return changed


@pytest.mark.parametrize("name", [n for n in NAMES if get(n).returns[0].axes])
def test_spoiled_answers_are_refused(name):
    exercise = get(name)
    for what, spoil in spoiled(name, exercise.reference):

        def answer(*inputs, spoil=spoil):
            result = exercise.reference(*inputs)
            return tuple(spoil(a) for a in result) if isinstance(result, tuple) else spoil(result)

        for aspect in exercise.aspects:
            assert not verdict(exercise, aspect, answer, 0).right, (what, aspect.name)


@pytest.mark.parametrize("change", [lambda n: n + 1, lambda n: n - 1, float, lambda n: n * 2, lambda n: 0, str, bool])
def test_spoiled_counts_are_refused(change):
    exercise = get("attention-parameters")
    for aspect in exercise.aspects:
        assert not verdict(exercise, aspect, lambda *numbers: change(exercise.reference(*numbers)), 0).right


@pytest.mark.parametrize("integer", [int, np.int64, lambda n: np.array(n)])
def test_counts_are_compared_by_kind_and_not_by_width(integer):
    exercise = get("attention-parameters")
    for aspect in exercise.aspects:
        assert verdict(exercise, aspect, lambda *numbers: integer(exercise.reference(*numbers)), 0).right
