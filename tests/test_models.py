"""The table of published models: against the figures of the course, and against what the models weigh."""

import dataclasses

import pytest
from manyheads import AttentionConfig, costs, models


@pytest.mark.parametrize(
    ("name", "d_model", "heads", "head_dim"),
    [("andrea-12m", 384, 12, 32), ("andrea-120m", 768, 12, 64), ("andrea-480m", 1536, 24, 64),
     ("gpt2-small", 768, 12, 64)],
)  # fmt: skip
def test_the_lessons_models(name, d_model, heads, head_dim):
    config = models.get(name)
    assert isinstance(config, AttentionConfig)
    assert (config.d_model, config.n_heads, config.head_dim) == (d_model, heads, head_dim)


# layers, d_model, heads, kv_heads, head_dim
TABLE = {
    "gpt2-small": (12, 768, 12, 12, 64),
    "llama-2-7b": (32, 4096, 32, 32, 128),
    "llama-2-13b": (40, 5120, 40, 40, 128),
    "llama-2-70b": (80, 8192, 64, 8, 128),
    "llama-3-8b": (32, 4096, 32, 8, 128),
    "llama-3-70b": (80, 8192, 64, 8, 128),
    "llama-3.2-1b": (16, 2048, 32, 8, 64),
    "llama-3.1-405b": (126, 16384, 128, 8, 128),
    "mistral-7b-v0.1": (32, 4096, 32, 8, 128),
    "falcon-7b": (32, 4544, 71, 1, 64),
    "falcon-40b": (60, 8192, 128, 8, 64),
    "qwen3-4b": (36, 2560, 32, 8, 128),
    "deepseek-v2": (60, 5120, 128, 128, 128),
    "deepseek-v3": (61, 7168, 128, 128, 128),
    "deepseek-v2-lite": (27, 2048, 16, 16, 128),
}


@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_figures(name):
    c = models.get(name)
    assert (c.n_layers, c.d_model, c.n_heads, c.n_kv_heads, c.head_dim) == TABLE[name]
    latent = (512, 64, 128, "MLA") if name.startswith("deepseek") else (None, 0, c.head_dim, c.variant)
    assert (c.latent_rank, c.rope_head_dim, c.v_head_dim, c.variant) == latent


def test_which_model_has_which_attention():
    by_variant = {variant: {n for n in models.PUBLISHED if models.get(n).variant == variant} for variant in
                  ("MHA", "MQA", "GQA", "MLA")}  # fmt: skip
    assert by_variant == {
        "MHA": {"gpt2-small", "bert-base", "t5-11b", "llama-2-7b", "llama-2-13b", "pythia-1b", "pythia-1.4b", "olmo-1b",
                "gemma-7b", "andrea-12m", "andrea-120m", "andrea-480m"},
        "MQA": {"palm-540b", "falcon-7b"},
        "GQA": {"llama-2-70b", "llama-3-8b", "llama-3-70b", "llama-3.1-405b", "llama-3.2-1b", "mistral-7b-v0.1",
                "falcon-40b", "falcon-180b", "qwen3-4b"},
        "MLA": {"deepseek-v2", "deepseek-v2-lite", "deepseek-v3"},
    }  # fmt: skip


def test_the_widths_that_are_a_habit_and_no_law():
    own = {n for n, m in models.PUBLISHED.items() if m.config.n_heads * m.config.head_dim != m.config.d_model}
    assert own == {"qwen3-4b", "gemma-7b", "t5-11b", "palm-540b", "deepseek-v2", "deepseek-v3"}
    assert {n for n in models.PUBLISHED if models.get(n).head_dim == 256} == {"palm-540b", "gemma-7b", "pythia-1b"}
    assert [models.get(n).group for n in ("llama-3-70b", "llama-3-8b", "mistral-7b-v0.1")] == [8, 4, 4]


def test_one_model_has_a_window():
    assert {n: m.config.window for n, m in models.PUBLISHED.items() if m.config.window} == {"mistral-7b-v0.1": 4096}


def gated(vocab, width, tables=2, norms=2):
    """All but the attention of a decoder: embedding and untied output, a gated MLP, norms without biases."""

    def rest(c):
        return tables * vocab * c.d_model + c.n_layers * (3 * width + norms) * c.d_model + (norms and c.d_model)

    return rest


def plain(vocab, tables=1, positions=0, biases=True):
    """All but the attention of a decoder with an MLP of four times the width; biases everywhere, or nowhere."""

    def rest(c):
        small = c.n_layers * 13 * c.d_model + 2 * c.d_model if biases else c.n_layers * 2 * c.d_model
        return (tables * vocab + positions) * c.d_model + c.n_layers * 8 * c.d_model**2 + small

    return rest


def experts(vocab, dense, dense_width, routed, width, query_rank=0):
    """All but the attention of a DeepSeek; two shared experts, or one of the width of two routed ones."""

    def rest(c):
        d, e = c.d_model, routed + (2 if routed < 200 else 1)
        query = query_rank * (d + 1 + c.n_heads * 192) - d * c.n_heads * 192 if query_rank else 0
        moe = e * 3 * d * width + routed * d
        tables_and_norms = 2 * vocab * d + (2 * c.n_layers + 1) * d
        return tables_and_norms + dense * 3 * d * dense_width + (c.n_layers - dense) * moe + c.n_layers * query

    return rest


def bert(c):
    d = c.d_model
    layer = 4 * d + 2 * 4 * d * d + 4 * d + d + 4 * d  # biases of attention, MLP with its biases, two norms
    return (30522 + 512 + 2 + 2) * d + c.n_layers * layer + d * d + d


def t5(c):
    mlps, norms, biases = 48 * 2 * 1024 * 65536, (24 * 2 + 24 * 3 + 2) * 1024, 2 * 32 * 128
    return 2 * costs.parameters(c) + 32128 * 1024 + mlps + norms + biases


REST = {
    "gpt2-small": plain(50257, positions=1024),
    "bert-base": bert,
    "t5-11b": t5,
    "palm-540b": gated(256_000, 4 * 18432, tables=1, norms=0),
    "llama-2-7b": gated(32_000, 11008),
    "llama-2-13b": gated(32_000, 13824),
    "llama-2-70b": gated(32_000, 28672),
    "llama-3-8b": gated(128_256, 14336),
    "llama-3-70b": gated(128_256, 28672),
    "llama-3.1-405b": gated(128_256, 53248),
    "llama-3.2-1b": gated(128_256, 8192, tables=1),
    "mistral-7b-v0.1": gated(32_000, 14336),
    "falcon-7b": plain(65_024, biases=False),
    "falcon-40b": plain(65_024, biases=False),
    "falcon-180b": plain(65_024, biases=False),
    "pythia-1b": plain(50_304, tables=2),
    "pythia-1.4b": plain(50_304, tables=2),
    "olmo-1b": gated(50_304, 8192, tables=1, norms=0),
    "gemma-7b": gated(256_128, 24576, tables=1),
    "qwen3-4b": lambda c: gated(151_936, 9728, tables=1)(c) + c.n_layers * 2 * c.head_dim,
    "deepseek-v2": experts(102_400, 1, 12288, 160, 1536, query_rank=1536),
    "deepseek-v2-lite": experts(102_400, 1, 10944, 64, 1408),
    "deepseek-v3": experts(129_280, 3, 18432, 256, 2048, query_rank=1536),
    "andrea-120m": lambda c: (2 * 8449 + 1024) * 768 + 12 * 8 * 768**2,
}


@pytest.mark.parametrize("name", REST)
def test_the_published_total_follows_from_its_parts(name):
    """Which a wrong number of heads or layers, or a wrong width, would spoil."""
    model = models.published(name)
    total = costs.parameters(model.config) + REST[name](model.config)
    assert abs(total - model.parameters) <= model.rounded_to // 2


def test_every_published_total_is_checked_so():
    assert {n for n, m in models.PUBLISHED.items() if m.parameters} == set(REST)


def test_the_test_above_would_notice():
    falcon = models.published("falcon-7b")
    as_its_configuration_says = dataclasses.replace(falcon.config, n_kv_heads=71)
    total = costs.parameters(as_its_configuration_says) + REST["falcon-7b"](as_its_configuration_says)
    assert abs(total - falcon.parameters) > falcon.rounded_to // 2


def test_a_total_is_as_exact_as_it_says():
    rounded = {n: m.rounded_to for n, m in models.PUBLISHED.items() if m.rounded_to > 1}
    assert rounded == {
        "palm-540b": 10**7, "falcon-7b": 10**9, "falcon-40b": 10**10, "falcon-180b": 10**10, "deepseek-v2": 10**9,
        "deepseek-v2-lite": 10**8, "deepseek-v3": 10**9,
    }  # fmt: skip
    assert all(models.published(name).parameters % step == 0 for name, step in rounded.items())


def test_every_entry_says_where_it_is_from():
    assert all(model.source and model.name == name for name, model in models.PUBLISHED.items())


def test_what_the_numbers_do_not_say_is_in_a_note():
    said = {"falcon-7b": "num_kv_heads=71", "t5-11b": "n_layers counts the decoder's", "deepseek-v2": "rank of 1,536",
            "deepseek-v3": "rank of 1,536", "andrea-12m": "not published", "bert-base": "encoder"}  # fmt: skip
    assert [name for name, words in said.items() if words not in models.published(name).note] == []


def test_upper_and_lower_case():
    assert models.get("Llama-3-70B") is models.get("llama-3-70b") is models.PUBLISHED["llama-3-70b"].config


@pytest.mark.wrong_call
@pytest.mark.parametrize(
    ("name", "near"),
    [("gpt2", "gpt2-small"), ("Andrea-120", "andrea-120m"), ("falconn", "falcon-7b, falcon-40b, falcon-180b"),
     ("Llama3-70B", "llama-3-70b, llama-2-70b, llama-3-8b"), ("falcon", "falcon-7b, falcon-40b, falcon-180b")],
)  # fmt: skip
def test_an_unknown_name_lists_the_near_ones(name, near):
    with pytest.raises(KeyError) as caught:
        models.get(name)
    assert caught.value.args == (f"no model is called {name!r}; near it: {near}",)


@pytest.mark.wrong_call
def test_a_name_like_no_other_lists_all():
    with pytest.raises(KeyError) as caught:
        models.get("zzzzzz")
    assert caught.value.args[0].endswith("near it: " + ", ".join(sorted(models.PUBLISHED)))


@pytest.mark.wrong_call
def test_a_name_that_is_no_text():
    with pytest.raises(TypeError) as caught:
        models.get(70)  # type: ignore[arg-type]
    assert str(caught.value) == "name must be text such as 'llama-3-70b', got 70"
