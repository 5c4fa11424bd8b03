"""The CUDA exercises of chapter 08: their oracles against loops, and what the mistakes are made from."""

import importlib
import math

import numpy as np
import pytest
from manyheads.exercises import get

from ..helpers import ROOT

NAMES = ["cuda-head-split", "cuda-row-softmax", "cuda-head-attention", "cuda-tiled-attention"]
SEEDS = range(2)


def cases(name, seed):
    return [case for aspect in get(name).aspects for case in aspect.cases(np.random.default_rng(seed))]


def reads(launch, name):
    """An argument as the kernel sees it: the numbers one after the other."""
    return launch.arguments[name].ravel().astype("float64")


def softmax(scores):
    """Of a list; of nothing, or of -inf only, zeros."""
    largest = max(scores, default=-math.inf)
    powers = [0.0 if score == -math.inf else math.exp(score - largest) for score in scores]
    return [power / (sum(powers) or 1) for power in powers]


def close(name, case, expected):
    got = get(name).reference(*case.inputs.values())
    assert got.dtype == "float32"
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_the_mistakes_are_made_from_the_answer_that_the_notebook_shows(name):
    function = get(name).function_name
    answers = importlib.import_module(f"manyheads.exercises.ch08_kernels.{function}_answers")
    notebook = (ROOT / "solutions/08-kernels/cuda.py").read_text(encoding="utf-8")
    assert f'return r"""\n{answers.ANSWER.text}"""' in notebook


@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_is_launched_on_the_arrays_that_its_oracle_gets(name):
    exercise = get(name)
    ways = set()
    for case in cases(name, 0):
        assert list(case.launch.arguments) == [parameter.name for parameter in exercise.parameters]
        shapes = [case.launch.arguments[out].shape for out in case.launch.outputs]
        assert shapes == [exercise.reference(*case.inputs.values()).shape]
        ways.add(case.way)
    assert ways == {"up", "down", "shuffled", "races", "memory", "sm_80", "sm_90"}


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_from_a_packed_buffer_one_by_one(seed):
    for case in cases("cuda-head-split", seed):
        a = case.launch.arguments
        qkv = reads(case.launch, "qkv")
        expected = np.empty(a["scores"].shape)
        for b, h, i, j in np.ndindex(expected.shape):
            token = b * a["batch_stride"] + (a["seq"] - a["q_len"] + i) * a["token_stride"]
            other = b * a["batch_stride"] + j * a["token_stride"]
            query = token + h * a["head_dim"]
            key = other + (a["heads"] + h // (a["heads"] // a["kv_heads"])) * a["head_dim"]
            product = qkv[query : query + a["head_dim"]] @ qkv[key : key + a["head_dim"]]
            expected[b, h, i, j] = product / math.sqrt(a["head_dim"])
        close("cuda-head-split", case, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_softmax_row_by_row(seed):
    for case in cases("cuda-row-softmax", seed):
        close("cuda-row-softmax", case, [softmax(row) for row in case.inputs["scores"].astype("float64").tolist()])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["cuda-head-attention", "cuda-tiled-attention"])
def test_attention_query_by_query(name, seed):
    for case in cases(name, seed):
        q, k, v = (case.inputs[part].astype("float64") for part in "qkv")
        causal = case.inputs.get("causal", 1)
        expected = np.zeros((*q.shape[:3], v.shape[3]))
        for b, h, i in np.ndindex(q.shape[:3]):
            kv_head = h // (q.shape[1] // k.shape[1])
            seen = max(0, i + k.shape[2] - q.shape[2] + 1) if causal else k.shape[2]
            scores = k[b, kv_head, :seen] @ q[b, h, i] / math.sqrt(q.shape[3])
            expected[b, h, i] = np.array(softmax(scores.tolist())) @ v[b, kv_head, :seen]
        close(name, case, expected)
