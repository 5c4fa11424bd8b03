"""Running an answer that is a kernel: what counts is its source, which the checker's own runner builds and launches."""

import inspect
import re
import textwrap
from typing import Any

from manyheads.exercises.definition import Case
from manyheads.exercises.kernel import KernelSource, Oracle
from manyheads.grading import run
from manyheads.grading.outcome import WRONG_CALL, Outcome, to_value
from manyheads.kernels import handed_in
from manyheads.kernels.launching import Finding, KernelError


def call(answer: Any, case: Case) -> Outcome:
    """Build the kernel that `answer` is or gives, launch it as the case says, and collect what it wrote.

    `answer` is a function that returns CUDA C++ as text, a ``@triton.jit`` function, or a definition's own.
    """
    assert case.launch is not None
    if isinstance(answer, Oracle):
        return run.call(answer.function, case.inputs)
    given = _source(answer, case.launch.language)
    if isinstance(given, Outcome):
        return given
    try:
        found, remark = handed_in.outputs(given, case.launch, case.way)
    except KernelError as error:
        return _found(error.finding)
    arrays = [found[name] for name in case.launch.outputs]
    remarks = (remark,) if remark else ()
    return Outcome(value=to_value(arrays[0] if len(arrays) == 1 else tuple(arrays)), remarks=remarks)


def endless(outcome: Outcome) -> bool:
    """Whether a kernel was stopped because it did not end."""
    return outcome.finding is not None and outcome.finding.kind == "endless"


def _found(finding: Finding) -> Outcome:
    return Outcome(exception=finding.kind, message=finding.message, line=finding.where, finding=finding)


def _source(answer: Any, language: str) -> str | Outcome:
    """The kernel's text, or what went wrong with getting it."""
    if isinstance(answer, KernelSource):
        return answer.text
    given = _triton(answer) if language == "triton" else _cuda(answer)
    return Outcome(exception="NotImplementedError") if isinstance(given, str) and _unwritten(given) else given


def _cuda(answer) -> str | Outcome:
    outcome = run.call(answer, {})
    if outcome.value is None:
        return outcome
    if outcome.value.kind != "text":
        got = "nothing" if outcome.value.kind == "nothing" else f"a value of type {outcome.value.type_name}"
        return Outcome(exception=WRONG_CALL, message=f"your function returned {got}, not the kernel's source as text")
    return outcome.value.text


def _triton(answer) -> str | Outcome:
    plain = getattr(answer, "fn", None)
    if plain is None:
        return Outcome(exception=WRONG_CALL, message="a kernel needs @triton.jit in the line above its def")
    try:
        return textwrap.dedent(inspect.getsource(plain))
    except (OSError, TypeError):
        return Outcome(exception=WRONG_CALL, message="the source of your kernel cannot be read; define it in a cell")


def _unwritten(source: str) -> bool:
    """Whether a Triton kernel is the starter, whose body is ``raise NotImplementedError()``."""
    return re.search(r"(?m)^\s*raise NotImplementedError\b", source) is not None
