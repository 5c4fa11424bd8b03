"""`check`: what a student calls, in a notebook or a plain script."""

import sys
from collections.abc import Callable

from manyheads.exercises import Exercise, registry
from manyheads.grading import report, seeds, versions
from manyheads.grading.judge import Verdict, judge, run_cases
from manyheads.kernels.launching import NotHere


class CheckFailed(AssertionError):  # noqa: N818 - the name is part of the course
    """An answer is not right yet. The report has been shown; the message repeats it where nothing can show it."""

    def _render_traceback_(self):  # IPython asks for this: a student has no use for our frames
        return [f"CheckFailed: {self}"]


def check(
    name: str,
    function: Callable,
    aspect: str | None = None,
    *,
    inputs: str = "visible",
    hint: int | None = None,
    version: int = 1,
) -> None:
    """Check an answer, say what is wrong with it, and raise `CheckFailed` unless it is right.

    Parameters
    ----------
    name : str
        The exercise: ``"fused-projection"``.
    function : callable
        Your function itself, not its result.
    aspect : str, optional
        Check this aspect only. Default: all of them.
    inputs : {"visible", "hidden"}
        Which inputs to draw. "hidden" is for grading: other numbers of the same kinds.
    hint : int, optional
        Show this hint, and check nothing: 1 is the gentlest, each later one says more. It costs nothing.
    version : int
        Of the exercise. A notebook that was released with a later one says so in its cells.

    Raises
    ------
    CheckFailed
        If the answer is wrong, if there is no such exercise, or if you interrupt it.

    Examples
    --------
    >>> from manyheads import reference
    >>> check("pack-heads", reference.pack_heads, aspect="values")
    ✓ pack-heads, values: right, 2 of 2 points
    """
    __tracebackhide__ = True
    global _checking
    if _checking:
        raise CheckFailed("check was called from inside the function that it checks; is it indented too far?")
    _checking = True
    try:
        verdicts = _verdicts(name, function, aspect, inputs, hint, version)
    finally:
        _checking = False
    failed = [verdict for verdict in verdicts if not verdict.right]
    for verdict in verdicts:
        _show(verdict, inputs)
    if failed:
        said = [report.headline(verdict) for verdict in failed]
        raise CheckFailed("; ".join(said)) from None


_checking = False


def _verdicts(name, function, aspect, inputs, hint, version) -> list[Verdict]:
    __tracebackhide__ = True
    if callable(name) or not isinstance(name, str):
        raise CheckFailed('check needs the exercise\'s name first: check("exercise-name", your_function)')
    if not isinstance(aspect, str | None):
        raise CheckFailed(f"aspect must be the name of an aspect, got {type(aspect).__name__}")
    try:
        exercise = versions.contract(name, version)
        later = versions.came_later(exercise, aspect) if aspect is not None else None
        if later is not None:  # the text of this notebook did not ask for it
            _display(*report.not_asked(exercise, later))
            return []
        aspects = exercise.aspects if aspect is None else (registry.aspect_of(exercise, aspect),)
    except (registry.UnknownName, registry.UnknownVersion) as error:
        raise CheckFailed(str(error)) from None
    if hint is not None:
        _show_hint(exercise, hint)
        if inputs == "visible":
            return []  # who asks for a hint has not failed; a grader is not put off by it
    if not isinstance(inputs, str) or inputs not in seeds.INPUTS:
        raise CheckFailed(f"inputs must be 'visible' or 'hidden', got {inputs!r}")
    if not callable(function):
        raise CheckFailed(
            f"check needs your function itself, got {type(function).__name__}; write "
            f"check({name!r}, {exercise.function_name}), without calling it"
        )
    verdicts = []
    for one in aspects:
        cases = one.cases(seeds.generator(exercise, one, inputs))
        try:
            outcomes = run_cases(function, cases)
        except NotHere as missing:
            raise CheckFailed(f"{name}, {one.name} cannot be checked on this machine: {missing}") from None
        except KeyboardInterrupt:
            said = f"{name}, {one.name}: interrupted while your function was running; it may loop for ever"
            raise CheckFailed(said) from None
        verdicts.append(judge(exercise, one, cases, outcomes))
    return verdicts


def _show_hint(exercise: Exercise, hint: int) -> None:
    __tracebackhide__ = True
    most = len(exercise.hints)
    if isinstance(hint, bool) or not isinstance(hint, int) or not 1 <= hint <= most:
        raise CheckFailed(f"hint must be a whole number from 1 to {most}, got {hint!r}")
    _display(report.hint_as_text(exercise, hint), report.hint_as_html(exercise, hint), {})


def _show(verdict: Verdict, inputs: str) -> None:
    """The verdict as data goes into the output's metadata."""
    _display(report.as_text(verdict), report.as_html(verdict), {"manyheads": report.as_record(verdict, inputs)})


def _display(text: str, page: str, metadata: dict) -> None:
    """HTML in a notebook, text elsewhere."""
    if sys.modules.get("IPython"):
        from IPython import get_ipython
        from IPython.display import display

        if get_ipython() is not None:
            display({"text/html": page, "text/plain": text}, raw=True, metadata=metadata)
            return
    try:
        print(text)
    except UnicodeEncodeError:  # a terminal that knows no ✓
        encoding = sys.stdout.encoding or "ascii"
        print(text.encode(encoding, "replace").decode(encoding))
    except (OSError, ValueError):
        pass  # nobody reads: what counts is whether check raises
