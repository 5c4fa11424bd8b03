"""The 93 ONNX cases for Attention, on the torch path."""

import ml_dtypes
import numpy as np
import pytest
import torch
from manyheads import torch_path

from ..onnx_cases import COUNT, answer, cases, compare

CASES = cases()


def to_tensor(x):
    """torch.from_numpy, which does not know ml_dtypes' bfloat16."""
    if isinstance(x, np.ndarray):
        if x.dtype == ml_dtypes.bfloat16:
            return torch.from_numpy(x.astype("float32")).bfloat16()
        return torch.from_numpy(x)
    return x


def to_array(x: torch.Tensor) -> np.ndarray:
    if x.dtype == torch.bfloat16:
        return x.float().numpy().astype(ml_dtypes.bfloat16)
    return x.numpy()


def test_there_are_as_many_cases_as_onnx_has():
    assert len({case.name for case in CASES}) == len(CASES) == COUNT


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.removeprefix("test_attention_"))
def test_agrees_with_onnx(case):
    found = answer(case, torch_path, to_tensor, to_array)
    assert found.keys() == case.outputs.keys()
    for name, expected in case.outputs.items():
        compare(f"{case.name}: {name}", found[name], expected)
