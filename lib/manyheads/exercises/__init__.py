"""The exercises: what each asks, draws, accepts and recognises."""

from manyheads.exercises.definition import Aspect, Case, Exercise, Mistake, Output, Parameter
from manyheads.exercises.registry import NAMES, UnknownName, get, of_chapter

__all__ = [
    "NAMES",
    "Aspect",
    "Case",
    "Exercise",
    "Mistake",
    "Output",
    "Parameter",
    "UnknownName",
    "get",
    "of_chapter",
]
