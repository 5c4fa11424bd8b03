"""Grading: `check` on the student's side, the judge that compares arrays, and the grading of a class."""

from manyheads.grading.check import CheckFailed, check

__all__ = ["CheckFailed", "check"]
