"""Finding an exercise by its name. A chapter's definitions are loaded when one of them is first asked for."""

import difflib
import importlib

from manyheads.exercises.definition import Exercise

#: Chapter and assignment -> the package with its definitions.
CHAPTERS = {"01-projections": "manyheads.exercises.ch01_projections"}

#: Exercise -> chapter, in the order of the notebooks. Tests hold it to the definitions.
NAMES = {
    "per-head-projections": "01-projections",
    "fused-projection": "01-projections",
    "pack-heads": "01-projections",
    "split-qkv": "01-projections",
    "attention-parameters": "01-projections",
}


class UnknownName(LookupError):
    """There is no exercise, aspect or assignment of this name; the message offers the near ones."""

    exit_status = 2  #: of the command line: it was called wrongly

    def __init__(self, kind: str, name, known):
        self.kind, self.name = kind, name
        near = difflib.get_close_matches(str(name).lower().replace("_", "-"), known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
        super().__init__(f"no {kind} is called {name!r}; {hint}")


def of_chapter(chapter: str) -> tuple[Exercise, ...]:
    """A chapter's exercises, in the order of its notebook.

    Raises
    ------
    UnknownName
        If no chapter with exercises is called so.
    """
    if chapter not in CHAPTERS:
        raise UnknownName("assignment", chapter, list(CHAPTERS))
    return importlib.import_module(CHAPTERS[chapter]).EXERCISES


def get(name: str) -> Exercise:
    """The exercise of this name.

    Raises
    ------
    UnknownName
        With the nearest name, if there is none.

    Examples
    --------
    >>> get("fused-projection").signature
    'fused_projection(x, w, n_heads)'
    >>> get("fused-projektion")
    Traceback (most recent call last):
    ...
    manyheads.exercises.registry.UnknownName: no exercise is called ...; did you mean ...
    """
    if name not in NAMES:
        raise UnknownName("exercise", name, list(NAMES))
    return {exercise.name: exercise for exercise in of_chapter(NAMES[name])}[name]


def aspect_of(exercise: Exercise, name: str):
    """An aspect by its name, or UnknownName with the near ones."""
    known = [aspect.name for aspect in exercise.aspects]
    if name not in known:
        raise UnknownName(f"aspect of {exercise.name}", name, known)
    return exercise.aspect(name)
