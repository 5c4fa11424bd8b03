"""The 93 ONNX cases for Attention, on the torch path."""

import pytest
from manyheads import torch_path

from ..onnx_cases import COUNT, answer, cases, compare
from .tensors import to_array, to_tensor

CASES = cases()


def test_there_are_as_many_cases_as_onnx_has():
    assert len({case.name for case in CASES}) == len(CASES) == COUNT


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.removeprefix("test_attention_"))
def test_agrees_with_onnx(case):
    found = answer(case, torch_path, to_tensor, to_array)
    assert found.keys() == case.outputs.keys()
    for name, expected in case.outputs.items():
        compare(f"{case.name}: {name}", found[name], expected)
