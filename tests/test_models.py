"""The table of published models."""

import pytest
from manyheads import AttentionConfig, models


@pytest.mark.parametrize(
    ("name", "d_model", "heads", "head_dim"),
    [("andrea-12m", 384, 12, 32), ("andrea-120m", 768, 12, 64), ("andrea-480m", 1536, 24, 64),
     ("gpt2-small", 768, 12, 64)],
)  # fmt: skip
def test_the_lessons_models(name, d_model, heads, head_dim):
    config = models.get(name)
    assert isinstance(config, AttentionConfig)
    assert (config.d_model, config.n_heads, config.head_dim) == (d_model, heads, head_dim)


def test_every_entry_says_where_it_is_from():
    assert all(model.source and model.name == name for name, model in models.PUBLISHED.items())


def test_an_unknown_name_lists_the_near_ones():
    with pytest.raises(KeyError, match="no model is called 'gpt2'; near it: gpt2-small"):
        models.get("gpt2")


def test_a_name_like_no_other_lists_all():
    with pytest.raises(KeyError, match=r"near it: andrea-120m, .*gpt2-small"):
        models.get("zzzzzz")
