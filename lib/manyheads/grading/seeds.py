"""Where the seeds of the inputs come from: the same for everyone in a notebook, fresh for a course in grading."""

import hashlib
import os

import numpy as np

from manyheads.exercises.definition import Aspect, Exercise

#: Set by the course's nbgrader configuration from a file that is never committed.
COURSE_SEED = "MANYHEADS_COURSE_SEED"

INPUTS = ("visible", "hidden")


def generator(exercise: Exercise, aspect: Aspect, inputs: str = "visible") -> np.random.Generator:
    """A generator for the cases of one aspect.

    "visible" inputs are the same everywhere. "hidden" ones depend on the course's seed; without it they are
    still others than the visible ones, but no secret.
    """
    secret = os.environ.get(COURSE_SEED, "no course seed") if inputs == "hidden" else ""
    text = f"{inputs}/{secret}/{exercise.name}/{aspect.name}"
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))
