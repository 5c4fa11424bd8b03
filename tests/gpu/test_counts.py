"""Operations and bytes, against numbers done by hand and against the products themselves."""

import pytest

from tests.benchmarks.gpu import counts, workloads
from tests.benchmarks.gpu.workloads import Workload


def call(**changed) -> Workload:
    sizes = {
        "group": "x", "direction": "forward", "batch": 2, "heads": 6, "kv_heads": 3, "q_len": 4, "k_len": 5,
        "head_dim": 8, "v_head_dim": 7, "causal": False, "dtype": "float16",
    }  # fmt: skip
    return Workload(**(sizes | changed))


@pytest.mark.parametrize(
    ("changed", "flops"),
    [
        ({}, 2 * 2 * 6 * 20 * (8 + 7)),
        ({"causal": True}, 2 * 2 * 6 * (2 + 3 + 4 + 5) * (8 + 7)),
        ({"kv_heads": 1}, 2 * 2 * 6 * 20 * (8 + 7)),  # shared heads save bytes, no operations
        ({"direction": "backward"}, 2 * 2 * 6 * 20 * (3 * 8 + 2 * 7)),
        ({"direction": "decode", "q_len": 1, "causal": True}, 2 * 2 * 6 * 5 * (8 + 7)),
    ],
)
def test_operations(changed, flops):
    assert counts.flops(call(**changed)) == flops


def test_backward_is_two_and_a_half_times_forward_where_the_widths_are_the_same():
    forward, backward = call(v_head_dim=8), call(v_head_dim=8, direction="backward")
    assert 2 * counts.flops(backward) == 5 * counts.flops(forward)


def test_bytes():
    q, k, v, out = 2 * 6 * 4 * 8, 2 * 3 * 5 * 8, 2 * 3 * 5 * 7, 2 * 6 * 4 * 7
    assert counts.read_and_written(call()) == 2 * (q + k + v + out)
    assert counts.read_and_written(call(dtype="float32")) == 4 * (q + k + v + out)
    # reads q, k, v, out and its gradient; writes three gradients
    assert counts.read_and_written(call(direction="backward")) == 2 * ((q + k + v + out + out) + (q + k + v))


def test_rates():
    w = call()
    rates = counts.rates(w, milliseconds=0.5)
    assert rates["tflops"] == pytest.approx(counts.flops(w) / 0.5e-3 / 1e12)
    assert rates["gb_per_s"] == pytest.approx(counts.read_and_written(w) / 0.5e-3 / 1e9)


def test_the_plan_has_what_was_promised():
    plan = workloads.plan()
    assert [w.k_len for w in plan] == sorted(w.k_len for w in plan)
    assert len(set(plan)) == len(plan)
    prefill = {(w.group, w.direction, w.k_len, w.causal) for w in plan if w.direction != "decode"}
    for n in (512, 1024, 2048, 4096, 8192, 16_384):
        for direction in ("forward", "backward"):
            for group in ("d 64", "d 128"):
                assert {(group, direction, n, True), (group, direction, n, False)} <= prefill
            assert {("GQA", direction, n, True), ("MLA", direction, n, True)} <= prefill
    assert {(w.heads, w.kv_heads) for w in plan if w.group == "GQA"} == {(32, 8)}
    assert {(w.head_dim, w.v_head_dim) for w in plan if w.group == "MLA"} == {(192, 128)}
    assert {w.batch for w in plan if w.direction == "decode"} == {1, 64}
    assert max(map(counts.memory, plan)) < 10e9  # a GPU of 16 GB has room for all of it


def test_the_small_plan_has_every_group_and_direction_of_the_large_one():
    def kinds(plan):
        return {(w.group, w.direction, w.causal, w.heads > w.kv_heads, w.head_dim == w.v_head_dim) for w in plan}

    assert kinds(workloads.tiny()) == kinds(workloads.plan())
    assert all(w.dtype != "bfloat16" for w in workloads.tiny())  # silently wrong in the interpreter
