"""The 93 ONNX cases for Attention, on the NumPy path."""

import numpy as np
import pytest
from manyheads import reference

from ..onnx_cases import COUNT, answer, cases, compare

CASES = cases()


def test_there_are_as_many_cases_as_onnx_has():
    assert len({case.name for case in CASES}) == len(CASES) == COUNT


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.removeprefix("test_attention_"))
def test_agrees_with_onnx(case):
    found = answer(case, reference, lambda x: x, lambda x: x)
    assert found.keys() == case.outputs.keys()
    for name, expected in case.outputs.items():
        compare(f"{case.name}: {name}", np.asarray(found[name]), expected)
