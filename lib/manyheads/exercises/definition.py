"""What an exercise is. One definition serves the notebook, the grader, the page and the report."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from manyheads.exercises.kernel import KernelForm
from manyheads.kernels.launching import Launch


@dataclass(frozen=True)
class Case:
    """One call of the student's function."""

    about: str  #: the kind of input, as a student is told of it: "more tokens than heads"
    inputs: dict[str, Any]  #: by parameter, in the order of the call
    probe: bool = False  #: run to tell mistakes apart; a wrong answer to it costs nothing
    most_bytes: int | None = None  #: what the call may hold at its peak beside its inputs; None: not measured
    asks: bool = False  #: whether what it asks of a `Supply` counts: what the reference asks, each as often
    launch: Launch | None = None  #: for a kernel: how it is launched on these inputs
    way: str = ""  #: for a kernel: how it is run, one of `kernels.handed_in.WAYS`


@dataclass(frozen=True)
class Aspect:
    """What earns points of its own: a graded cell each."""

    name: str
    points: int
    about: str  #: shown to the student
    cases: Callable[[np.random.Generator], list[Case]]  #: fresh inputs from a seeded generator


@dataclass(frozen=True)
class Parameter:
    """One argument of the function, as the notebook and the messages name it."""

    name: str
    about: str  #: shape, dtype and unit: "float array (batch, seq, d_model)"


@dataclass(frozen=True)
class Output:
    """One array (or number) that the function returns."""

    name: str
    axes: tuple[str, ...] | None  #: names of the axes; None for a number
    holds: Literal["like the input", "bool", "int", "float"] = "like the input"  #: a number: "int" or "float"
    about: str = ""  #: what the contract says of it, where name, axes and `holds` do not say enough


@dataclass(frozen=True)
class Mistake:
    """A wrong implementation that real people write, and what helps the person who wrote it."""

    name: str
    answer: Callable
    sentence: str
    section: str  #: the heading in the exercise's chapter under which to read on
    loses: tuple[str, ...] | None = None  #: the aspects that it fails; None: every one


@dataclass(frozen=True, eq=False)  # there is one of each: compared and hashed by identity
class Exercise:
    """An exercise: its contract, its inputs, its right answers and its known wrong ones."""

    name: str
    title: str
    chapter: str  #: number and slug, shared by chapter and assignment: "01-projections"
    version: int  #: raised when a change could turn a right answer wrong
    parameters: tuple[Parameter, ...]
    returns: tuple[Output, ...]
    reference: Callable
    aspects: tuple[Aspect, ...]
    mistakes: tuple[Mistake, ...]
    alternatives: dict[str, Callable]  #: right answers by other techniques, by name of the technique
    example: str = ""  #: a call that can be done by hand, as a doctest of the function
    hints: tuple[str, ...] = ()  #: each leads a step farther; the last does not yet give the answer
    given: tuple[str, ...] = ()  #: what of `manyheads.reference` the answer may use
    tolerance: dict[str, float] = field(default_factory=dict)  #: by dtype, relative to the largest element
    runs_in: tuple[str, ...] = ("notebook", "page")
    kernel: KernelForm | None = None  #: where the answer is the source of a kernel; `parameters` are the kernel's
    earlier: tuple["Exercise", ...] = ()  #: the versions that notebooks were released with before this one

    @property
    def function_name(self) -> str:
        """What the student's function is called."""
        return self.name.replace("-", "_")

    @property
    def points(self) -> int:
        """What a right answer earns in all."""
        return sum(aspect.points for aspect in self.aspects)

    @property
    def signature(self) -> str:
        """``split_qkv(qkv, n_heads, n_kv_heads, layout)``."""
        return f"{self.function_name}({', '.join(p.name for p in self.parameters)})"

    def aspect(self, name: str) -> Aspect:
        """The aspect of this name, or KeyError."""
        return {aspect.name: aspect for aspect in self.aspects}[name]

    def grade_id(self, aspect: Aspect) -> str:
        """What the graded cell of an aspect is called in notebooks and gradebook."""
        return f"check-{self.name}-{aspect.name.replace(' ', '-')}"

    def lost_by(self, mistake: Mistake) -> tuple[str, ...]:
        """The aspects that `mistake` fails."""
        return tuple(a.name for a in self.aspects) if mistake.loses is None else mistake.loses


#: Nothing is computed, elements only move: the answer is equal or wrong.
EXACT: dict[str, float] = {}

#: For attention over a few dozen keys: two products with a softmax between them.
ATTENTION = {"float64": 1e-13, "float32": 2e-5}

#: For one matrix product over a few dozen terms, in any order of summation: about a hundred roundings.
ONE_PRODUCT = {"float64": 2e-14, "float32": 1e-5}
