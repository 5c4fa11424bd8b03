"""Scores against loops, and the table."""

import numpy as np
import pytest
import torch
from manyheads.probes import (
    HeadScores,
    first_token_score,
    head_scores,
    induction_score,
    previous_token_score,
    table,
)

RNG = np.random.default_rng(0)
WEIGHTS = RNG.dirichlet(np.ones(7), size=(2, 3, 7)).astype(np.float32)
TOKENS = RNG.integers(0, 4, size=(2, 7))


def mean_over(chosen):
    """The mean of the weights that `chosen` names, (batch item, query, key), head by head."""
    return [float(np.mean([WEIGHTS[b, h, i, j] for b, i, j in chosen])) for h in range(WEIGHTS.shape[1])]


@pytest.mark.parametrize("convert", [np.asarray, torch.from_numpy])
def test_against_loops(convert):
    weights, tokens = convert(WEIGHTS), convert(TOKENS)
    pairs = [(b, i) for b in range(2) for i in range(1, 7)]
    np.testing.assert_allclose(previous_token_score(weights), mean_over([(b, i, i - 1) for b, i in pairs]), rtol=1e-6)
    np.testing.assert_allclose(first_token_score(weights), mean_over([(b, i, 0) for b, i in pairs]), rtol=1e-6)
    matched = []
    for b, i in pairs:
        earlier = [p for p in range(i) if TOKENS[b, p] == TOKENS[b, i]]
        if earlier:
            matched.append((b, i, earlier[-1] + 1))
    assert 0 < len(matched) < len(pairs)
    found = induction_score(weights, tokens)
    np.testing.assert_allclose(found, mean_over(matched), rtol=1e-6)
    assert found.shape == (3,) and found.dtype == np.float64


def test_tensors_that_ask_for_gradients_and_sixteen_bits():
    weights = torch.from_numpy(WEIGHTS).bfloat16().requires_grad_()
    np.testing.assert_allclose(previous_token_score(weights), previous_token_score(WEIGHTS), atol=0.01)


def test_nothing_to_count():
    one = np.ones((2, 3, 1, 1))
    tokens = np.array([[1], [2]])
    for score in (previous_token_score(one), first_token_score(one), induction_score(one, tokens)):
        np.testing.assert_array_equal(score, np.zeros(3))
    different = np.arange(14).reshape(2, 7)
    np.testing.assert_array_equal(induction_score(WEIGHTS, different), np.zeros(3))


def test_wrong_calls():
    with pytest.raises(ValueError, match=r"weights have q_len=5 and k_len=7; this score is for as many keys"):
        previous_token_score(WEIGHTS[:, :, :5])
    with pytest.raises(ValueError, match=r"weights must be \(batch, heads, seq, seq\), got shape \(3, 7, 7\)"):
        first_token_score(WEIGHTS[0])
    with pytest.raises(TypeError, match=r"weights must be a NumPy array or a torch tensor, got list"):
        first_token_score(WEIGHTS.tolist())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"weights must be floating point, got int64"):
        first_token_score(np.ones((2, 3, 7, 7), dtype=np.int64))
    with pytest.raises(ValueError, match=r"tokens must be \(batch, seq\), here \(2, 7\), got shape \(7, 2\)"):
        induction_score(WEIGHTS, TOKENS.T)
    with pytest.raises(TypeError, match=r"tokens must be integers, got float64"):
        induction_score(WEIGHTS, TOKENS.astype(float))
    with pytest.raises(ValueError, match=r"maps\['cross'\]: weights have q_len=5"):
        head_scores({"own": WEIGHTS, "cross": WEIGHTS[:, :, :5]})


def test_rows_and_table():
    maps = {"layers.0": WEIGHTS, "a longer name": WEIGHTS[:, :2]}
    rows = head_scores(maps, TOKENS)
    own, other = [("layers.0", head) for head in range(3)], [("a longer name", head) for head in range(2)]
    assert [(row.module, row.head) for row in rows] == own + other
    assert rows[1].induction == induction_score(WEIGHTS, TOKENS)[1]
    assert rows[4].previous_token == previous_token_score(WEIGHTS)[1]
    assert rows[4].first_token == first_token_score(WEIGHTS)[1]
    without = head_scores(maps)
    assert without[0] == HeadScores("layers.0", 0, rows[0].previous_token, rows[0].first_token)
    lines = table(rows).splitlines()
    assert len(lines) == 6 and len({len(line) for line in lines}) == 1
    shown = [f"{rows[0].previous_token:.2f}", f"{rows[0].first_token:.2f}"]
    assert table(without).splitlines()[1].split() == ["layers.0", "0", *shown]
    assert table([]).split() == ["module", "head", "previous", "token", "first", "token", "induction"]
