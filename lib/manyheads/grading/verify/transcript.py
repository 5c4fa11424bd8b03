"""What the grader says of every known answer: the same text wherever Python runs, or two places disagree."""

from manyheads.exercises import Exercise
from manyheads.grading.verify.spoiled import spoilers
from manyheads.grading.verify.trial import Drawn, draw


def transcript(exercise: Exercise, seeds: range) -> list[str]:
    """A line for each answer, aspect and seed: right or not, the mistake's name, the kind of the first problem."""
    return [line for one in draw(exercise, seeds) for line in _of(one)]


def _of(one: Drawn) -> list[str]:
    exercise = one.exercise
    where = f"{exercise.name}, {one.aspect.name}, seed {one.seed}"
    answers = {"reference": exercise.reference, **exercise.alternatives}
    answers |= {f"mistake {mistake.name}": mistake.answer for mistake in exercise.mistakes}
    answers["starter"] = _starter
    said = [f"{where}, {name}: {_told(one.verdict(answer))}" for name, answer in answers.items()]
    for what, change in spoilers(exercise):
        accepted = one.accepts_values(change)
        if accepted is not None:
            said.append(f"{where}, spoiled ({what}): {'right' if accepted else 'wrong'}")
    return said


def _starter(*inputs):
    raise NotImplementedError


def _told(verdict) -> str:
    if verdict.right:
        return "right"
    first = verdict.first
    kind = first.problem.kind if first.problem else first.outcome.exception
    return f"wrong ({kind}), {verdict.mistake.name if verdict.mistake else 'no known mistake'}"
