"""One exercise's grader on trial: right answers, known mistakes, spoiled answers, mutants."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from manyheads.exercises import Exercise
from manyheads.exercises.kernel import KernelSource
from manyheads.exercises.registry import equivalent_mutants
from manyheads.exercises.source import source_as
from manyheads.grading.verify import examples
from manyheads.grading.verify.kernel_mutants import kernel_mutants
from manyheads.grading.verify.margin import distance, same_form
from manyheads.grading.verify.mutants import Mutant, mutants
from manyheads.grading.verify.spoiled import spoilers
from manyheads.grading.verify.trial import Drawn, by_seed, draw

#: A right answer may use up at most this part of the tolerance, a mistake must miss it by at least so many times.
RIGHT_WITHIN, WRONG_BEYOND = 0.5, 10.0

SEEDS = range(20)

#: What a definition must have at least.
LEAST = {"mistakes": 4, "alternatives": 3, "mutants": 30, "hints": 2}
LEAST_OF_A_KERNEL = {**LEAST, "mistakes": 6}

#: A kernel is built and run in processes of its own, hundreds of times: over so many seeds.
SEEDS_OF_A_KERNEL = 5

#: A mutant that runs longer than this is endless, and so refused. The answers take milliseconds; a kernel is built.
SECONDS, SECONDS_OF_A_KERNEL = 5, 60


@dataclass
class Proof:
    """What was tried on one exercise, and everything that did not go as it must."""

    exercise: str
    right: int = 0  #: the reference, the solution and the alternatives
    mistakes: int = 0  #: those with the right shape and dtype, finite: only they are counted
    misformed: int = 0  #: other known mistakes
    spoiled: int = 0
    mutants: int = 0
    equivalent: dict[str, str] = field(default_factory=dict)  #: mutants that do the same, with the reason
    nearest_right: float | None = None  #: the largest error of a right answer, in units of the tolerance
    nearest_wrong: float | None = None  #: the smallest of a mistake
    misses: list[str] = field(default_factory=list)


def prove(exercise: Exercise, solution: str | None = None, seeds: range = SEEDS, mutate: bool = True) -> Proof:
    """Try everything on the cases of these seeds.

    Parameters
    ----------
    exercise : Exercise
    solution : str, optional
        The source of the model answer, if it is at hand: it must be accepted, and is mutated too.
    seeds : range
        Which inputs to draw: every claim is tried on each.
    mutate : bool
        Whether to make mutants too. Those that the chapter lists as equivalent, with the reason, must survive.
    """
    found = Proof(exercise.name)
    drawn = draw(exercise, seeds[:SEEDS_OF_A_KERNEL] if exercise.kernel else seeds)
    answers = _right_answers(exercise, solution)
    _accepted(found, drawn, answers)
    _starter(found, drawn)
    _mistakes(found, exercise, drawn)
    _spoiled(found, exercise, drawn)
    for one in drawn:
        one.remembered.clear()
    if mutate:
        _mutants(found, exercise, drawn, solution)
    _complete(found, exercise, mutate)
    return found


def _complete(found: Proof, exercise: Exercise, mutate: bool) -> None:
    have = {"mistakes": found.mistakes, "alternatives": len(exercise.alternatives), "hints": len(exercise.hints)}
    if mutate:
        have["mutants"] = found.mutants
    least = LEAST_OF_A_KERNEL if exercise.kernel else LEAST
    for what, number in have.items():
        if number < least[what]:
            of_form = " with the right shape and dtype, finite" * (what == "mistakes")
            found.misses.append(f"{number} {what}{of_form}; at least {least[what]} are wanted")
    if not exercise.kernel:  # there is no calling it by hand
        found.misses += examples.problems(exercise)


def _right_answers(exercise: Exercise, solution: str | None) -> dict[str, Callable]:
    answers = {"reference": exercise.reference, **exercise.alternatives}
    if solution is not None:
        answers["solution"] = _written_out(exercise, solution)
    return answers


def _written_out(exercise: Exercise, solution: str) -> Callable:
    """The answer that a cell defines; of a Triton kernel only its text counts."""
    if exercise.kernel and exercise.kernel.language == "triton":
        return KernelSource(solution.strip("\n") + "\n")
    return Mutant("solution", "", solution).function(exercise.function_name)


def _accepted(found: Proof, drawn: list[Drawn], answers: dict[str, Callable]) -> None:
    found.right = len(answers)
    for one in drawn:
        for technique, answer in answers.items():
            verdict = one.verdict(answer)
            if not verdict.right or verdict.mistake or verdict.earned != one.aspect.points:
                found.misses.append(f"{technique} is refused: {_where(one)}: {_why(verdict)}")
            error = distance(one, answer)
            if error is not None:
                found.nearest_right = max(error, found.nearest_right or 0.0)
                if error > RIGHT_WITHIN:
                    found.misses.append(f"{technique} uses up {error:.2f} of the tolerance: {_where(one)}")


def _starter(found: Proof, drawn: list[Drawn]) -> None:
    def starter(*inputs):
        raise NotImplementedError

    starter.fn = starter  # type: ignore[attr-defined] # as @triton.jit keeps it
    for one in drawn:
        verdict = one.verdict(starter)
        if verdict.earned or not verdict.unwritten or verdict.mistake:
            found.misses.append(f"the starter is not told as unwritten with 0 points: {_where(one)}")


def _mistakes(found: Proof, exercise: Exercise, drawn: list[Drawn]) -> None:
    misformed = set()
    for one in drawn:
        for mistake in exercise.mistakes:
            verdict = one.verdict(mistake.answer)
            loses = one.aspect.name in exercise.lost_by(mistake)
            if verdict.right is loses:
                told = "is accepted" if loses else f"loses an aspect that it should not: {_why(verdict)}"
                found.misses.append(f"mistake {mistake.name} {told}: {_where(one)}")
            elif loses and verdict.mistake is not mistake:
                named = verdict.mistake.name if verdict.mistake else "no mistake"
                found.misses.append(f"mistake {mistake.name} is called {named}: {_where(one)}")
            if not loses:
                continue
            if not _has_form(one, mistake.answer):
                misformed.add(mistake.name)
            error = distance(one, mistake.answer)
            numbers_right = verdict.first is None or _kind(verdict.first) in ("memory", "asked", *_TELLING)
            if error is not None and not numbers_right:
                found.nearest_wrong = min(error, found.nearest_wrong or float("inf"))
                if error < WRONG_BEYOND:
                    told = f"mistake {mistake.name} is only {error:.1f} tolerances away: {_where(one)}"
                    found.misses.append(told)
    found.misformed = len(misformed)
    found.mistakes = len(exercise.mistakes) - found.misformed


def _has_form(one: Drawn, answer: Callable) -> bool:
    pairs = [(case, expected) for case, expected in zip(one.cases, one.expected, strict=True) if not case.probe]
    outcomes = [(one.run(answer, case), expected) for case, expected in pairs]
    return all(same_form(e, o.value) or (o.finding and o.finding.kind in _TELLING) for o, e in outcomes)


#: What is found in a kernel that otherwise computes something: as good as wrong numbers of the right form.
_TELLING = (
    "data race", "out of bounds", "divergent barrier", "uninitialised shared memory", "spills", "too many resources",
)  # fmt: skip


def _spoiled(found: Proof, exercise: Exercise, drawn: list[Drawn]) -> None:
    tried = set()
    for one in drawn:
        for what, change in spoilers(exercise):
            accepted = one.accepts_values(change)
            if accepted is not None:
                tried.add(what)
            if accepted:
                found.misses.append(f"a right answer spoiled ({what}) is accepted: {_where(one)}")
    found.spoiled = len(tried)


def _mutants(found: Proof, exercise: Exercise, drawn: list[Drawn], solution: str | None) -> None:
    name, equivalent = exercise.function_name, equivalent_mutants(exercise)
    made = _kernels_mutants(exercise, solution) if exercise.kernel else _functions_mutants(exercise, solution)
    found.mutants = len(made)
    survivors = [mutant.name for mutant in made if _survives(mutant, name, drawn)]
    found.equivalent = {one: equivalent[one] for one in survivors if one in equivalent}
    found.misses += [f"mutant accepted: {one}" for one in survivors if one not in equivalent]
    refused = {mutant.name for mutant in made} - set(survivors)
    for one in equivalent:
        if one not in survivors:
            told = "is refused" if one in refused else "does not exist"
            found.misses.append(f"listed as equivalent, but it {told}: {one}")


def _functions_mutants(exercise: Exercise, solution: str | None) -> list[Mutant]:
    answers = exercise.alternatives.items()
    sources = {technique: source_as(answer, exercise.function_name) for technique, answer in answers}
    if solution is not None:
        sources = {"solution": solution, **sources}
    return [mutant for technique, source in sources.items() for mutant in mutants(source, technique)]


def _kernels_mutants(exercise: Exercise, solution: str | None) -> list[Mutant]:
    """Of the solution and one alternative: each mutant has to be built."""
    technique, other = next(iter(exercise.alternatives.items()))
    answers = {technique: other}
    if solution is not None:
        answers = {"solution": _written_out(exercise, solution), **answers}
    texts = {name: answer.text if isinstance(answer, KernelSource) else answer() for name, answer in answers.items()}
    return [mutant for name, text in texts.items() for mutant in kernel_mutants(text, name)]


def _survives(mutant: Mutant, name: str, drawn: list[Drawn]) -> bool:
    """Whether full marks are given for any of the seeds."""
    kernel = drawn[0].exercise.kernel is not None
    try:
        answer = KernelSource(mutant.source) if kernel else mutant.function(name)
    except Exception:
        return False
    for aspects in by_seed(drawn):
        with time_limit(SECONDS_OF_A_KERNEL if kernel else SECONDS) as left:
            if all(one.accepts(answer) for one in aspects) and not left.over:
                return True
        if left.over:
            return False
    return False


class _Left:
    over = False


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[_Left]:
    """Ends what runs inside after some seconds, where the system can do that: a mutated loop may be endless."""
    left = _Left()
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield left
        return

    def stop(*_):
        left.over = True
        raise KeyboardInterrupt  # the one thing that `call` lets through

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield left
    except KeyboardInterrupt:
        if not left.over:
            raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _kind(finding) -> str:
    return finding.problem.kind if finding.problem is not None else "exception"


def _where(one: Drawn) -> str:
    return f"aspect {one.aspect.name}, seed {one.seed}"


def _why(verdict) -> str:
    first = verdict.first
    if first is None:
        return "nothing is wrong with it"
    if first.problem is not None:
        return f"{first.case.about}: {first.problem.message}"
    return f"{first.case.about}: {first.outcome.exception}: {first.outcome.message}"
