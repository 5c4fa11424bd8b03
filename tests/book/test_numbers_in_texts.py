"""Figures that stand in the notebooks' and the short pages' prose, computed anew."""

import re

import numpy as np
import pytest
from manyheads import AttentionConfig, costs, models, reference
from manyheads.exercises import get


@pytest.fixture(scope="module")
def text(course):
    def text(place):
        path = course.root / place
        return re.sub(r"(?m)^# ?", "", path.read_text("utf-8")) if path.suffix == ".py" else path.read_text("utf-8")

    return text


def rows(table: str, cells: int) -> list[list[str]]:
    """The rows of a Markdown table that have so many cells, without its head."""
    found = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()]
    return [row for row in found if len(row) == cells and not set(row[0]) <= {"-"}][1:]


def scores_row(head_dim: int, divided: bool) -> list[float]:
    """Standard deviation, mean entropy, mean largest weight and share of saturated rows, with 16 keys."""
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((20_000, 1, head_dim)), rng.standard_normal((20_000, 16, head_dim))
    scores = (q @ k.swapaxes(1, 2)) / (head_dim**0.5 if divided else 1.0)
    weights = reference.softmax(scores)
    entropy, scale = get("row-entropy").reference(weights), get("gradient-scale").reference(weights)
    return [float(x) for x in (scores.std(), entropy.mean(), weights.max(axis=-1).mean(), 100 * (scale < 0.01).mean())]


def test_the_table_of_undivided_scores(text):
    table = rows(text("solutions/00-one-head/one_head.py"), 6)
    assert len(table) == 6
    for head_dim, scores, *said in table:
        numbers = [float(re.match(r"[\d.]+", cell)[0]) for cell in said]
        found = scores_row(int(head_dim), scores != "not divided")
        for got, shown, within in zip(found, numbers, (0.1, 0.06, 0.012, 2), strict=True):
            assert abs(got - shown) <= within, (head_dim, scores, got, shown)


@pytest.mark.parametrize("place", ["book/04-kv-cache.md"])
def test_the_cache_of_published_models(text, place):
    table = rows(text(place), 7)
    assert len(table) >= 4
    for name, layers, heads, kv_heads, head_dim, per_token, long in table:
        config = models.get(name)
        assert (config.n_layers, config.n_heads) == (int(layers), int(heads))
        assert (config.n_kv_heads, config.head_dim) == (int(kv_heads), int(head_dim))
        assert f"{costs.kv_cache_bytes(config):,}" == per_token
        assert f"{costs.kv_cache_bytes(config, tokens=131_072) / 2**30:g} GiB" == long


def test_the_cache_in_the_notebooks(text):
    prose = " ".join(text("solutions/04-kv-cache/kv_cache.py").split())
    assert "At 32,768 tokens and 2 bytes a number its cache takes 10 GiB" in prose
    assert costs.kv_cache_bytes(models.get("llama-3-70b"), tokens=32_768) == 10 * 2**30
    alone = AttentionConfig(5120, 40, n_layers=40)
    assert costs.kv_cache_bytes(alone) == 819_200 and "= 819,200 bytes" in prose
    shared = AttentionConfig(5120, 40, 8, n_layers=40)
    sizes = [costs.kv_cache_bytes(config, tokens=100_000) / 2**30 for config in (alone, shared)]
    assert [round(size, 1) for size in sizes] == [76.3, 15.3]
    assert "bytes: 76.3 GiB. With 8 key/value heads it is a fifth: 15.3 GiB" in prose


def test_the_used_share_of_the_scores(text):
    page = " ".join(text("book/03-masks.md").split())
    assert "10 of 16, a share of 62.5 %" in page and "50.05 % for 1024 tokens" in page
    assert (
        costs.used_fraction(4, causal=True) == 0.625 and round(100 * costs.used_fraction(1024, causal=True), 2) == 50.05
    )
