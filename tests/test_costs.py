"""Counting parameters, against the shapes of the matrices and published totals."""

import pytest
from manyheads import AttentionConfig, costs, models


def elements(*shapes):
    return sum(rows * columns for rows, columns in shapes)


@pytest.mark.parametrize(
    ("d_model", "heads", "kv_heads", "head_dim", "v_head_dim"),
    [(30, 6, 6, 5, 5), (30, 6, 2, 5, 5), (31, 6, 3, 4, 7), (20, 5, 1, 3, 2)],
)
def test_parameters_are_the_elements_of_the_four_matrices(d_model, heads, kv_heads, head_dim, v_head_dim):
    config = AttentionConfig(d_model, heads, kv_heads, head_dim, v_head_dim, n_layers=7)
    one_layer = elements(
        (d_model, heads * head_dim), (d_model, kv_heads * head_dim), (d_model, kv_heads * v_head_dim),
        (heads * v_head_dim, d_model),
    )  # fmt: skip
    assert costs.parameters(config) == 7 * one_layer


def test_the_figures_of_the_lesson():
    assert costs.parameters(AttentionConfig(768, 12)) == 2_359_296 == 4 * 768**2
    assert costs.parameters(AttentionConfig(768, 12, n_layers=12)) == 28_311_552


def test_the_number_of_heads_does_not_matter_while_they_share_d_model():
    assert len({costs.parameters(AttentionConfig(768, heads)) for heads in (1, 2, 12, 96, 768)}) == 1


def test_latent_attention_by_its_matrices():
    # DeepSeek-V2-Lite's sizes: 16 heads of 128 + 64, values of 128, a latent of 512, queries not compressed
    config = AttentionConfig(2048, 16, head_dim=128, v_head_dim=128, latent_rank=512, rope_head_dim=64)
    shapes = [(2048, 16 * (128 + 64)), (2048, 512 + 64), (1, 512), (512, 16 * (128 + 128)), (16 * 128, 2048)]
    assert costs.parameters(config) == elements(*shapes)
    assert sum(costs.parameters_by_part(config).values()) == costs.parameters(config)


def test_a_large_model_does_not_overflow():
    assert costs.parameters(AttentionConfig(16384, 128, 8, 128, n_layers=126)) == 126 * 2 * 16384 * 128 * 136


def test_published_shares():
    andrea, gpt2 = models.published("andrea-120m"), models.published("gpt2-small")
    attention = costs.parameters(andrea.config)
    assert f"{attention / 120e6:.1%}" == "23.6%"
    assert f"{attention / andrea.parameters:.1%}" == "28.7%"
    assert f"{costs.parameters(gpt2.config) / gpt2.parameters:.1%}" == "22.8%"


def test_published_totals_follow_from_their_parts():
    d, layers = 768, 12
    attention_and_mlp = layers * (4 * d * d + 8 * d * d)
    assert models.published("andrea-120m").parameters == 2 * 8449 * d + 1024 * d + attention_and_mlp
    biases_and_norms = layers * (3 * d + d + 4 * d + d + 4 * d) + 2 * d
    assert models.published("gpt2-small").parameters == 50257 * d + 1024 * d + attention_and_mlp + biases_and_norms
