"""Running a student's function on inputs. Judging what comes out is `judge`'s: the two share only outcomes."""

import contextlib
import copy
import inspect
import io
import linecache
import pathlib
import sysconfig
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from manyheads.grading.outcome import WRONG_CALL, Outcome, to_value

_OURS = str(pathlib.Path(__file__).resolve().parents[1])
_NOT_THE_STUDENTS = tuple(
    str(pathlib.Path(sysconfig.get_paths()[key]).resolve()) for key in ("stdlib", "platstdlib", "purelib", "platlib")
)


def call(function: Callable, inputs: dict[str, Any]) -> Outcome:
    """Call `function` on a copy of `inputs`, and survive whatever it does.

    Printing, warning and writing to stderr are caught and come back in the outcome, because nbgrader gives no
    points to a cell with text on stderr. Only an interrupt by the user goes through.
    """
    given = {name: copy.deepcopy(value) for name, value in inputs.items()}
    out, err = io.StringIO(), io.StringIO()
    wrong_call = _signature_problem(function, given)
    if wrong_call:
        return Outcome(exception=WRONG_CALL, message=wrong_call)
    outcome: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                outcome["value"] = to_value(function(*given.values()))
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit too: exit() in an answer must not end the notebook
                outcome = _exception(error)
    return Outcome(
        **outcome,
        changed_inputs=tuple(name for name in inputs if not _same(inputs[name], given[name])),
        printed=out.getvalue()[:2000] + err.getvalue()[:2000],
        warned=tuple(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)),
    )


def _signature_problem(function: Callable, given: dict[str, Any]) -> str | None:
    """A call that does not fit the function's parameters, told as such and not as Python's TypeError."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None  # a built-in may have none: let the call decide
    try:
        signature.bind(*given.values())
    except TypeError:
        return f"your function takes {signature}, but the exercise calls it with ({', '.join(given)})"
    return None


def _exception(error: BaseException) -> dict[str, Any]:
    try:
        message = str(error)
    except Exception:
        message = "(its message could not be read)"
    return {"exception": type(error).__name__, "message": message[:500], "line": _students_line(error)}


def _students_line(error: BaseException) -> str:
    """The deepest line of the student's own in the traceback, as 'line 3: y = x @ w.T'."""
    line, traceback = "", error.__traceback__
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if _is_the_students(filename):
            source = linecache.getline(filename, traceback.tb_lineno).strip()
            line = f"line {traceback.tb_lineno}" + (f": {source}" if source else "")
        traceback = traceback.tb_next
    return line


def _is_the_students(filename: str) -> bool:
    if filename.startswith("<frozen"):
        return False
    path = filename if filename.startswith("<") else str(pathlib.Path(filename).resolve())
    return not path.startswith((_OURS, *_NOT_THE_STUDENTS))


def _same(before, after) -> bool:
    if isinstance(before, np.ndarray):
        return np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")
    return type(before) is type(after) and before == after
