"""Which version of an exercise a notebook is graded by: the one with which it was released."""

import json
import os
from collections.abc import Mapping

from manyheads.exercises import UnknownName, registry
from manyheads.exercises.definition import Aspect, Exercise

#: Set where a class is graded: exercise -> version, as JSON, of the notebook that runs.
RELEASED_WITH = "MANYHEADS_RELEASED_WITH"


def contract(name: str, stated: int) -> Exercise:
    """The exercise in the version that counts here.

    `stated` is what the check cell says. A grader says it too, and wins: the cells of a hand-in are overwritten with
    those of the newest release.

    Raises
    ------
    UnknownName, UnknownVersion
        If there is none.
    """
    try:
        graded = json.loads(os.environ.get(RELEASED_WITH) or "{}")
    except ValueError:
        graded = {}
    return registry.get(name, graded.get(name, stated) if isinstance(graded, dict) else stated)


def came_later(exercise: Exercise, aspect: str) -> Aspect | None:
    """The aspect, if a later version of the exercise asks it and this one does not."""
    newest = registry.get(exercise.name)
    if exercise is newest or any(one.name == aspect for one in exercise.aspects):
        return None
    return next((one for one in newest.aspects if one.name == aspect), None)


def cells_that_came_later(earlier: Mapping[str, int]) -> set[str]:
    """The graded cells of the newest versions that these earlier versions of exercises do not have."""
    found = set()
    for name, version in earlier.items():
        newest, released = registry.get(name), registry.get(name, version)
        found |= {newest.grade_id(a) for a in newest.aspects} - {released.grade_id(a) for a in released.aspects}
    return found


def of_notebook(metadata: Mapping) -> tuple[dict[str, int], list[str]]:
    """The exercises that a handed-in notebook has in an earlier version than the newest, and what to tell of them.

    The metadata is the student's to write. It can only choose among versions that exist, and is reported.
    """
    said = metadata.get("manyheads")
    versions = said.get("exercises") if isinstance(said, Mapping) else None
    earlier, flags = {}, []
    for name, version in sorted((versions if isinstance(versions, Mapping) else {}).items()):
        try:
            if isinstance(version, bool) or not isinstance(version, int):
                raise registry.UnknownVersion(registry.get(name), version, [registry.get(name).version])
            exercise = registry.get(name, version)
        except UnknownName:
            continue
        except registry.UnknownVersion as error:
            flags.append(f"{error}; graded by version {registry.get(name).version}")
            continue
        if exercise.version != registry.get(name).version:
            earlier[name] = version
            flags.append(f"{name} was graded by version {version}, with which the notebook was released")
    return earlier, flags
