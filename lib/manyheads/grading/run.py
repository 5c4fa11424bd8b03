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

from manyheads.exercises.supply import Supply
from manyheads.grading import memory, unset
from manyheads.grading.outcome import WRONG_CALL, Outcome, to_value

_INSTALLED = ("site-packages", "dist-packages")
_OURS = str(pathlib.Path(__file__).resolve().parents[1])
_NOT_THE_STUDENTS = tuple(
    str(pathlib.Path(sysconfig.get_paths()[key]).resolve()) for key in ("stdlib", "platstdlib", "purelib", "platlib")
)


def call(function: Callable, inputs: dict[str, Any], measure: bool = False) -> Outcome:
    """Call `function` on a copy of `inputs`, and survive whatever it does; `measure` its peak of memory too.

    Printing, warning and writing to stderr are caught and come back in the outcome, because nbgrader gives no
    points to a cell with text on stderr. Only an interrupt by the user goes through.
    """
    given = {name: copy.deepcopy(value) for name, value in inputs.items()}
    supplies = {name: value for name, value in given.items() if isinstance(value, Supply)}
    out, err = _Unclosable(), _Unclosable()
    wrong_call = _signature_problem(function, given)
    if wrong_call:
        return Outcome(exception=WRONG_CALL, message=wrong_call)
    outcome: dict[str, Any] = {}
    # errstate puts back what the function sets with np.seterr.
    with warnings.catch_warnings(record=True) as caught, np.errstate(), unset.visible() as seen:
        warnings.simplefilter("always")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), memory.peak(measure) as held:
            try:
                returned = function(*given.values())
                held.stop()  # before anything is copied
                outcome["value"] = to_value(returned)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit too: exit() in an answer must not end the notebook
                outcome = _exception(error)
    return Outcome(
        **outcome,
        changed_inputs=tuple(n for n in inputs if n not in supplies and not _same(inputs[n], given[n])),
        peak_bytes=held.bytes,
        asked={name: value.asked for name, value in supplies.items()},
        asked_for_unset=seen.asked,
        printed=_plain(out.getvalue()[:2000]) + _plain(err.getvalue()[:2000]),
        warned=tuple(dict.fromkeys(_plain(f"{w.category.__name__}: {w.message}") for w in caught)),
    )


class _Unclosable(io.StringIO):
    """Catches what is printed, also from a function that closes its sys.stdout."""

    def close(self):
        pass


def _plain(text: str, most: int = 2000) -> str:
    """Exactly a str, that any file can hold, and not endless."""
    return str.encode(text, "utf-8", "replace").decode()[:most]


def _signature_problem(function: Callable, given: dict[str, Any]) -> str | None:
    """A call that does not fit the function's parameters, told as such and not as Python's TypeError."""
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except Exception:
        return None  # a built-in may have none, and an object may say anything: let the call decide
    try:
        signature.bind(*given.values())
    except TypeError:
        takes = _parameters(signature)
        return f"your function takes ({takes}), but the exercise calls it with ({', '.join(given)})"
    return None


def _parameters(signature: inspect.Signature) -> str:
    """The names of the parameters; their defaults may be anything."""
    names, keywords = [], False
    for parameter in signature.parameters.values():
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            names.append("*")
        keywords |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        names.append(f"{stars}{parameter.name}")
    return _plain(", ".join(names), 200)


def _exception(error: BaseException) -> dict[str, Any]:
    try:
        message = _plain(str(error), 500)
    except KeyboardInterrupt:
        raise
    except BaseException:
        message = "(its message could not be read)"
    try:
        name = _plain(type(error).__name__, 100)
    except Exception:
        name = "an exception"
    return {"exception": name, "message": message, "line": _students_line(error)}


def _students_line(error: BaseException) -> str:
    """The deepest line of the student's own in the traceback, as 'line 3: y = x @ w.T'."""
    line, traceback = "", error.__traceback__
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if _is_the_students(filename):
            source = _plain(linecache.getline(filename, traceback.tb_lineno).strip(), 200)
            line = f"line {traceback.tb_lineno}" + (f": {source}" if source else "")
        traceback = traceback.tb_next
    return line


def _is_the_students(filename: str) -> bool:
    if filename.startswith("<frozen"):
        return False
    path = filename if filename.startswith("<") else str(pathlib.Path(filename).resolve())
    return not path.startswith((_OURS, *_NOT_THE_STUDENTS)) and not any(f in path for f in _INSTALLED)


def _same(before, after) -> bool:
    if isinstance(before, np.ndarray):
        try:
            same_kind = before.shape == after.shape and before.dtype == after.dtype
            return same_kind and np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")
        except Exception:  # the function made something of it that cannot be compared
            return False
    return type(before) is type(after) and before == after
