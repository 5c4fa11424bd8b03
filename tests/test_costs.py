"""Costs: against the shapes of the matrices, published figures, and counting one by one."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from manyheads import AttentionConfig, costs, models

GQA = AttentionConfig(11, 6, 2, head_dim=5, v_head_dim=7)
MLA = AttentionConfig(11, 6, head_dim=5, v_head_dim=7, latent_rank=13, rope_head_dim=4)


def elements(*shapes):
    return sum(rows * columns for rows, columns in shapes)


# Parameters


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


@pytest.mark.parametrize("heads", [2, 3, 12])
def test_multi_query_attention_has_two_squares_and_two_slices(heads):
    assert costs.parameters(AttentionConfig(60, heads, 1)) == 2 * 60**2 + 2 * 60**2 // heads


def test_latent_attention_by_its_matrices():
    # DeepSeek-V2-Lite's: 16 heads of 128 + 64, values of 128, a latent of 512, queries not compressed
    config = models.get("deepseek-v2-lite")
    shapes = [(2048, 16 * (128 + 64)), (2048, 512 + 64), (1, 512), (512, 16 * (128 + 128)), (16 * 128, 2048)]
    assert list(costs.parameters_by_part(config).values()) == [elements(shape) for shape in shapes]
    assert costs.parameters(config) == 27 * elements(*shapes)


def test_published_shares():
    andrea, gpt2 = models.published("andrea-120m"), models.published("gpt2-small")
    attention = costs.parameters(andrea.config)
    assert f"{attention / 120e6:.1%}" == "23.6%"
    assert f"{attention / andrea.parameters:.1%}" == "28.7%"
    assert f"{costs.parameters(gpt2.config) / gpt2.parameters:.1%}" == "22.8%"


# Memory


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [("gpt2-small", 36_864), ("llama-2-7b", 524_288), ("llama-3-8b", 131_072), ("mistral-7b-v0.1", 131_072),
     ("llama-2-70b", 327_680), ("llama-3-70b", 327_680), ("llama-3.2-1b", 32_768), ("llama-3.1-405b", 516_096),
     ("falcon-7b", 8_192), ("falcon-40b", 122_880), ("qwen3-4b", 147_456), ("deepseek-v2", 69_120),
     ("deepseek-v3", 70_272), ("deepseek-v2-lite", 31_104)],
)  # fmt: skip
def test_the_table_of_cache_sizes(name, bytes_per_token):
    assert costs.kv_cache_bytes(models.get(name)) == bytes_per_token
    assert costs.kv_cache_bytes(models.get(name), tokens=3, bytes_per_element=5) * 2 == bytes_per_token * 15


def test_a_long_context_of_a_large_model():
    assert costs.kv_cache_bytes(models.get("llama-3-70b"), tokens=32_768) == 10 * 2**30
    assert costs.kv_cache_bytes(models.get("llama-3-70b"), tokens=0) == 0


def test_keys_and_values_may_differ_in_width():
    assert (costs.kv_cache_elements(GQA), costs.kv_cache_elements(MLA)) == (2 * (5 + 7), 13 + 4)


@pytest.mark.parametrize(
    ("name", "head_dim", "times"),
    [("deepseek-v3", 128, "56.9"), ("deepseek-v3", 192, "71.1"), ("deepseek-v2-lite", 128, "7.1"),
     ("deepseek-v2-lite", 192, "8.9")],
)  # fmt: skip
def test_how_much_smaller_a_latent_is(name, head_dim, times):
    mla = models.get(name)
    mha = AttentionConfig(mla.d_model, mla.n_heads, head_dim=head_dim, v_head_dim=128)
    assert f"{costs.kv_cache_elements(mha) / costs.kv_cache_elements(mla):.1f}" == times


@pytest.mark.parametrize(("rank", "rope", "under"), [(15, 0, True), (16, 0, False), (11, 4, True), (12, 4, False)])
def test_the_rank_at_which_a_latent_is_under_an_eighth(rank, rope, under):
    mha, mla = AttentionConfig(64, 4), AttentionConfig(64, 4, latent_rank=rank, rope_head_dim=rope)
    assert (costs.kv_cache_elements(mla) * 8 < costs.kv_cache_elements(mha)) == under == (rank + rope < 2 * 64 / 8)


def test_a_window_stops_the_cache_from_growing():
    config = models.get("mistral-7b-v0.1")
    assert [costs.kv_cache_bytes(config, n) // 131_072 for n in (4095, 4096, 4097, 32_768)] == [4095, 4096, 4096, 4096]


def test_layers_that_differ_are_summed():
    full = AttentionConfig(10, 6, 3, head_dim=7, n_layers=4)
    local = AttentionConfig(10, 6, 2, head_dim=5, n_layers=9, window=8)
    assert costs.kv_cache_bytes([full, local], tokens=11) == (4 * 11 * 3 * 14 + 9 * 8 * 2 * 10) * 2
    assert costs.kv_cache_bytes((full,), tokens=11) == costs.kv_cache_bytes(full, tokens=11)
    assert costs.parameters([full, local]) == costs.parameters(full) + costs.parameters(local)


def test_gemma_2_where_every_other_layer_is_local():
    full = AttentionConfig(3584, 16, 8, head_dim=256, n_layers=21)
    local = AttentionConfig(3584, 16, 8, head_dim=256, n_layers=21, window=4096)
    assert costs.kv_cache_bytes([full, local]) == 344_064
    assert costs.kv_cache_bytes([full, local], tokens=8192) == 344_064 * 6144


def test_the_scores_grow_with_the_heads():
    assert costs.score_bytes(AttentionConfig(768, 12), batch=1, q_len=1024) == 48 * 2**20
    assert costs.score_bytes(GQA, batch=2, q_len=3, k_len=5, bytes_per_element=7) == 2 * 6 * 3 * 5 * 7
    assert costs.score_bytes(GQA, batch=2, q_len=3) == 2 * 6 * 3 * 3 * 4


# Pairs


def sees(i, j, q_len, k_len, causal, window):
    """Whether query i sees key j, as the conventions of the course say it."""
    position = i + k_len - q_len
    if isinstance(window, int):
        return position - window < j <= position
    left, right = window or (None, None)
    beyond = [causal and j > position, left is not None and j < position - left]
    return not any([*beyond, right is not None and j > position + right])


LENGTHS = st.integers(0, 9)
SIDES = st.none() | st.integers(0, 11)
BANDS = (
    st.tuples(st.booleans(), st.none())
    | st.tuples(st.just(True), st.integers(1, 12))
    | st.tuples(st.booleans(), st.tuples(SIDES, SIDES))
)


@given(LENGTHS, LENGTHS, BANDS)
@example(7, 4, (True, None))  # the first three queries see nothing
@example(7, 4, (True, 2))
@example(9, 2, (False, (3, 1)))
@example(2, 9, (True, 3))
def test_pairs_are_those_that_the_mask_allows(q_len, k_len, band):
    allowed = sum(sees(i, j, q_len, k_len, *band) for i in range(q_len) for j in range(k_len))
    assert costs.attended_pairs(q_len, k_len, *band) == allowed
    if q_len and k_len:
        assert costs.used_fraction(q_len, k_len, *band) == allowed / (q_len * k_len)


@pytest.mark.parametrize(("n", "pairs", "share"), [(4, 10, "62.50%"), (128, 8256, "50.39%"), (1024, 524_800, "50.05%")])
def test_what_the_causal_mask_leaves(n, pairs, share):
    assert costs.attended_pairs(n, causal=True) == n * (n + 1) // 2 == pairs
    assert costs.used_fraction(n, causal=True) == (n + 1) / (2 * n)
    assert f"{costs.used_fraction(n, causal=True):.2%}" == share


def test_a_long_window_is_no_work_to_count():
    assert costs.attended_pairs(10**12, causal=True, window=4096) == 4096 * 10**12 - 4096 * 4095 // 2


# Products


def product(rows, inner, columns, where=True):
    """Multiply-accumulates of one matrix product, counted: with ones, each of them adds 1 to an entry."""
    return int(((np.ones((rows, inner), int) @ np.ones((inner, columns), int)) * where).sum())


def counted(c, q_len, k_len, causal, absorbed):
    """Head by head, with the mask as an array."""
    rule = (True, c.window) if c.window else (causal, None)
    allowed = [sees(i, j, q_len, k_len, *rule) for i in range(q_len) for j in range(k_len)]
    mask = np.array(allowed, bool).reshape(q_len, k_len)
    d, e, v, r = c.head_dim, c.rope_head_dim, c.v_head_dim, c.latent_rank
    parts = {"W_Q": [product(q_len, c.d_model, d + e) for _ in range(c.n_heads)]}
    if r is None:
        parts["W_K"] = [product(q_len, c.d_model, d) for _ in range(c.n_kv_heads)]
        parts["W_V"] = [product(q_len, c.d_model, v) for _ in range(c.n_kv_heads)]
    else:
        parts["W_down"] = [product(q_len, c.d_model, r), product(q_len, c.d_model, e)]
    if absorbed:
        parts["W_UK"] = [product(q_len, d, r) for _ in range(c.n_heads)]
    elif r is not None:
        up = mask.any(axis=0).sum()
        parts["W_up"] = [product(up, r, width) for _ in range(c.n_heads) for width in (d, v)]
    parts["scores"] = [product(q_len, r + e if absorbed else d + e, k_len, mask) for _ in range(c.n_heads)]
    values = np.ones((k_len, r if absorbed else v), int)
    parts["weighted_values"] = [int((mask.astype(int) @ values).sum()) for _ in range(c.n_heads)]
    if absorbed:
        parts["W_UV"] = [product(q_len, r, v) for _ in range(c.n_heads)]
    parts["W_O"] = [product(q_len, v, c.d_model) for _ in range(c.n_heads)]
    return {part: sum(heads) for part, heads in parts.items()}


# latent_rank, rope_head_dim, n_kv_heads, absorbed
KINDS = [(None, 0, 1, False), (None, 0, 2, False), (None, 0, 6, False), (13, 4, 6, False), (13, 4, 6, True)]


@given(st.integers(0, 6), st.integers(0, 8), st.booleans(), st.none() | st.integers(1, 9), st.sampled_from(KINDS))
@example(3, 8, False, 2, (13, 4, 6, False))  # a window over a cache: only what some query sees is brought up
def test_multiply_accumulates_are_those_of_the_products(q_len, cached, causal, window, kind):
    rank, rope, kv_heads, absorbed = kind
    c = AttentionConfig(11, 6, kv_heads, 5, 7, latent_rank=rank, rope_head_dim=rope, window=window, n_layers=3)
    got = costs.multiply_accumulates(c, q_len, q_len + cached, causal, absorbed)
    want = counted(c, q_len, q_len + cached, causal, absorbed)
    assert list(got.items()) == list(want.items())


@pytest.mark.parametrize("heads", [1, 12, 24, 96])
def test_the_formula_of_the_lesson_has_no_heads_in_it(heads):
    n, d = 1024, 768
    assert sum(costs.multiply_accumulates(AttentionConfig(d, heads), n).values()) == 2 * n**2 * d + 4 * n * d**2


@pytest.mark.parametrize(("kv_heads", "thousandths"), [(12, 1000), (4, 800), (1, 725)])
def test_sharing_keys_and_values_saves_arithmetic_too(kv_heads, thousandths):
    mha = sum(costs.multiply_accumulates(AttentionConfig(768, 12), 1024).values())
    shared = sum(costs.multiply_accumulates(AttentionConfig(768, 12, kv_heads), 1024).values())
    assert shared * 1000 == mha * thousandths


def test_when_the_absorbed_form_is_the_better_one():
    config = models.get("deepseek-v2")

    def total(q_len, k_len, absorbed):
        return sum(costs.multiply_accumulates(config, q_len, k_len, causal=True, absorbed=absorbed).values())

    assert total(1, 4096, absorbed=True) * 50 < total(1, 4096, absorbed=False)
    assert total(4096, 4096, absorbed=True) > total(4096, 4096, absorbed=False)


def test_numpy_integers_do_not_overflow():
    n = np.int32(2**20)
    results = [
        costs.kv_cache_bytes(models.get("llama-3.1-405b"), n, np.int8(2)), costs.attended_pairs(n, n, causal=np.True_),
        costs.score_bytes(GQA, np.int8(100), n, n, np.int8(4)), costs.parameters(models.get("llama-3.1-405b")),
        *costs.multiply_accumulates(GQA, n, n).values(), costs.attended_pairs(n, window=(n, np.int8(0))),
    ]  # fmt: skip
    assert {type(result) for result in results} == {int}
    assert results[:4] == [516_096 * 2**20, 2**39 + 2**19, 100 * 6 * 2**42, 126 * 2 * 16384 * 128 * 136]


# Wrong calls

ONE = "config must be an AttentionConfig, got {}; this counts one layer"
MANY = "config must be an AttentionConfig or a list of them, got "
SIDE = "does not say which side it means; give causal=True (4 keys, itself included) or a pair (left, right)"
FEWER_KEYS = "k_len=3 is less than q_len=5; it counts the new tokens too"
NO_LATENT = "absorbed=True is for latent attention, but this is GQA: it has no latent_rank"


@pytest.mark.wrong_call
@pytest.mark.parametrize(
    ("error", "call", "message"),
    [
        (ValueError, lambda: costs.kv_cache_bytes(GQA, -1), "tokens must be at least 0, got -1"),
        (TypeError, lambda: costs.kv_cache_bytes(GQA, 1.5), "tokens must be a whole number, got 1.5"),
        (ValueError, lambda: costs.kv_cache_bytes(GQA, 1, 0), "bytes_per_element must be at least 1, got 0"),
        (TypeError, lambda: costs.kv_cache_bytes(GQA, 1, 0.5), "bytes_per_element must be a whole number, got 0.5"),
        (TypeError, lambda: costs.kv_cache_bytes("x"), MANY + "'x'; models.get(name) gives a published model's"),
        (TypeError, lambda: costs.parameters([GQA, 7]), MANY + "a list with AttentionConfig, int"),
        (TypeError, lambda: costs.parameters(models.published("olmo-1b")), MANY + "PublishedModel"),
        (ValueError, lambda: costs.parameters([]), "config must have at least one AttentionConfig, got an empty list"),
        (TypeError, lambda: costs.parameters_by_part((MLA,)), ONE.format("a tuple with AttentionConfig")),
        (TypeError, lambda: costs.multiply_accumulates([], 3), ONE.format("a list with nothing")),
        (TypeError, lambda: costs.kv_cache_elements(None), ONE.format("NoneType")),
        (ValueError, lambda: costs.attended_pairs(-2), "q_len must be at least 0, got -2"),
        (TypeError, lambda: costs.attended_pairs(2, 3.0), "k_len must be a whole number, got 3.0"),
        (TypeError, lambda: costs.attended_pairs(2, causal=1), "causal must be True or False, got 1"),
        (ValueError, lambda: costs.attended_pairs(5, window=4), "window=4 alone " + SIDE),
        (ValueError, lambda: costs.used_fraction(5, 0), "k_len must be at least 1, got 0"),
        (ValueError, lambda: costs.used_fraction(0), "q_len must be at least 1, got 0"),
        (ValueError, lambda: costs.multiply_accumulates(GQA, 5, 3), FEWER_KEYS),
        (ValueError, lambda: costs.multiply_accumulates(GQA, 5, absorbed=True), NO_LATENT),
        (TypeError, lambda: costs.multiply_accumulates(MLA, 5, absorbed=1), "absorbed must be True or False, got 1"),
        (ValueError, lambda: costs.score_bytes(GQA, 0, 5), "batch must be at least 1, got 0"),
        (ValueError, lambda: costs.score_bytes(GQA, 2, 5, -1), "k_len must be at least 0, got -1"),
    ],
)  # fmt: skip
def test_refuses(error, call, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
