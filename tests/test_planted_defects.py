"""Every planted defect is caught, and without one the tests pass: so they fail for what they are about."""

import pytest

from .defects import DEFECTS, KINDS
from .grader_defects import GRADER_DEFECTS
from .plant_defects import caught_by


def test_every_kind_is_planted():
    assert {kind for kind in KINDS if any(defect.kind.startswith(kind) for defect in DEFECTS)} == KINDS


@pytest.mark.parametrize("defect", [*DEFECTS, *GRADER_DEFECTS], ids=lambda defect: f"{defect.kind} ({defect.path})")
def test_is_caught(defect):
    assert caught_by(defect) is not None


@pytest.mark.parametrize("path", ["both", "graders", "probes"])
def test_the_same_tests_pass_without_a_defect(path):
    assert caught_by(None, path) is None
