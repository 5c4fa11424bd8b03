"""AttentionConfig: what it fills in and what it refuses."""

import dataclasses

import numpy as np
import pytest
from manyheads import AttentionConfig


def test_what_is_left_out_is_filled_in():
    config = AttentionConfig(d_model=30, n_heads=6)
    assert (config.n_kv_heads, config.head_dim, config.v_head_dim, config.n_layers) == (6, 5, 5, 1)
    assert config.latent_rank is None and config.window is None and config.rope_head_dim == 0


def test_widths_are_independent_of_d_model_when_given():
    config = AttentionConfig(d_model=2560, n_heads=32, n_kv_heads=8, head_dim=128)
    assert config.n_heads * config.head_dim != config.d_model
    assert config.v_head_dim == 128
    assert config.group == 4


@pytest.mark.parametrize(
    ("kv_heads", "latent", "variant"), [(12, None, "MHA"), (4, None, "GQA"), (1, None, "MQA"), (12, 7, "MLA")]
)
def test_variant(kv_heads, latent, variant):
    assert AttentionConfig(60, 12, kv_heads, latent_rank=latent).variant == variant


def test_one_head_is_multi_head_attention_and_not_multi_query():
    assert AttentionConfig(8, 1).variant == "MHA"


def test_it_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        AttentionConfig(64, 4).n_heads = 8  # type: ignore[misc]


def test_numpy_integers_become_python_integers():
    config = AttentionConfig(np.int32(64), np.int8(4), n_layers=np.int16(3))
    assert [type(n) for n in (config.d_model, config.n_heads, config.head_dim, config.n_layers)] == [int] * 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"d_model": 64, "n_heads": 3},
            ValueError,
            "d_model=64 is not divisible by n_heads=3; choose heads that divide it, or give head_dim",
        ),
        ({"d_model": 64, "n_heads": 0}, ValueError, "n_heads must be at least 1, got 0"),
        ({"d_model": -8, "n_heads": 2}, ValueError, "d_model must be at least 1, got -8"),
        ({"d_model": 64.0, "n_heads": 4}, TypeError, "d_model must be a whole number, got 64.0"),
        ({"d_model": 64, "n_heads": True}, TypeError, "n_heads must be a whole number, got True"),
        ({"d_model": 64, "n_heads": "4"}, TypeError, "n_heads must be a whole number, got '4'"),
        ({"d_model": 64, "n_heads": 8, "n_kv_heads": 3}, ValueError, "n_heads=8 is not divisible by n_kv_heads=3"),
        ({"d_model": 64, "n_heads": 8, "n_kv_heads": 16}, ValueError, "n_heads=8 is not divisible by n_kv_heads=16"),
        ({"d_model": 64, "n_heads": 8, "head_dim": 0}, ValueError, "head_dim must be at least 1, got 0"),
        ({"d_model": 64, "n_heads": 8, "v_head_dim": 0}, ValueError, "v_head_dim must be at least 1, got 0"),
        ({"d_model": 64, "n_heads": 8, "window": 0}, ValueError, "window must be at least 1, got 0"),
        ({"d_model": 64, "n_heads": 8, "n_layers": 0}, ValueError, "n_layers must be at least 1, got 0"),
        ({"d_model": 64, "n_heads": 8, "latent_rank": 0}, ValueError, "latent_rank must be at least 1, got 0"),
        (
            {"d_model": 64, "n_heads": 8, "rope_head_dim": 4},
            ValueError,
            "rope_head_dim=4 is for latent attention; give latent_rank as well, or count the rotary part in head_dim",
        ),
        (
            {"d_model": 64, "n_heads": 8, "n_kv_heads": 2, "latent_rank": 16},
            ValueError,
            "latent attention has a key and a value for every query head: n_kv_heads=2 must be n_heads=8, "
            "or be left out",
        ),
    ],
)
def test_refuses(arguments, error, message):
    with pytest.raises(error) as caught:
        AttentionConfig(**arguments)
    assert str(caught.value) == message
