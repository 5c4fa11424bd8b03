"""The studies find what the course says that they find, the same every time, and leave no trace."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from manyheads import studies
from manyheads.probes import attention_maps, induction_score, previous_token_score


@pytest.fixture(scope="module", params=[0, 1])
def study(request):
    return studies.induction(request.param)


@pytest.mark.parametrize("seed", [0, 1])
def test_two_heads_beat_one_and_four_beat_two(seed):
    one, two, four = (studies.copying(n, seed) for n in (1, 2, 4))
    assert 1.4 < one < np.log(16)
    assert 0.3 < two < 0.6
    assert four < 0.1


def test_a_run_and_the_callers_random_state():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    threads = torch.get_num_threads()
    with torch.no_grad():
        run = studies.copying_run(8, 3)
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == threads
    again = studies.copying_run(8, 3)
    assert (run.loss, run.losses.tolist()) == (again.loss, again.losses.tolist())
    assert run.loss != studies.copying(8, 4)
    assert run.n_heads == 8 and run.steps[0] == 0 and np.all(np.diff(run.steps) > 0)
    assert run.losses.shape == run.steps.shape and run.losses[-1] < 0.1 < run.losses[0]
    maps = attention_maps(run.model, torch.zeros(2, 12, dtype=torch.int64))
    assert {name: weights.shape for name, weights in maps.items()} == {"attention": (2, 8, 12, 12)}


@pytest.mark.parametrize("seed", [0, 1])
def test_the_heads_share_the_distances(seed):
    """Which head reads which token is the seed's choice; that each of the four is read is not."""
    model = studies.copying_run(4, seed).model
    tokens = torch.from_numpy(np.random.default_rng(0).integers(0, 16, size=(64, 12)))
    weights = attention_maps(model, tokens)["attention"][:, :, 4:].mean(axis=0)
    queries = np.arange(4, 12)
    back = np.array([[weights[head, queries - 4, queries - d].mean() for d in range(5)] for head in range(4)])
    read = back.sum(axis=0)
    assert read[1:].min() > 0.3
    assert read[0] < 0.2, "its own token is not asked for"


def test_induction_heads_form(study):
    assert study.loss() < 0.1
    assert previous_token_score(study.maps[0]).max() > 0.5
    assert induction_score(study.maps[1], study.tokens).max() > 0.5
    assert induction_score(study.untrained_maps[1], study.tokens).max() < 0.2
    rises = np.array([[study.loss(layer, head) - study.loss() for head in range(2)] for layer in range(2)])
    assert rises.max() > 1
    needed = np.unravel_index(rises.argmax(), rises.shape)
    assert needed == (0, previous_token_score(study.maps[0]).argmax())


def test_what_an_induction_study_gives(study):
    batch, seq = study.tokens.shape
    assert (study.n_layers, study.n_heads, 2 * study.first) == (2, 2, seq)
    assert study.maps.shape == study.untrained_maps.shape == (2, batch, 2, seq, seq)
    np.testing.assert_allclose(study.maps.sum(-1), 1, atol=1e-5)
    np.testing.assert_array_equal(study.tokens[:, : study.first], study.tokens[:, study.first :])
    assert all(len(set(row)) == study.first for row in study.tokens[:, : study.first].tolist())
    shifted = np.exp(study.logits - study.logits.max(-1, keepdims=True))
    p = np.take_along_axis(shifted / shifted.sum(-1, keepdims=True), np.roll(study.tokens, -1, axis=1)[..., None], -1)
    assert abs(-np.log(p[:, study.first : -1]).mean() - study.loss()) < 1e-5
    maps = attention_maps(study.model, torch.from_numpy(study.tokens))
    for layer in range(2):
        np.testing.assert_allclose(maps[f"layers.{layer}"], study.maps[layer], atol=1e-5)
    assert study.losses[0] > 3 > study.losses[-1]


def test_a_wider_latent_is_better():
    study = studies.latent_rank(0, ranks=(2, 4, 24))
    assert study.ranks.tolist() == [2, 4, 24]
    assert study.losses[0] > study.losses[1] + 0.5 > study.losses[2] + 1
    assert study.mha_loss < 0.1


def test_wrong_calls(study):
    with pytest.raises(ValueError, match="d_model=64 is not divisible by n_heads=3"):
        studies.copying(3, 0)
    with pytest.raises(TypeError, match="n_heads must be a whole number"):
        studies.copying(2.0, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed must be at least 0, got -1"):
        studies.induction(-1)
    with pytest.raises(ValueError, match="latent_rank must be at least 1, got 0"):
        studies.latent_rank(0, ranks=(0,))
    for wrong in [(2, 0), (0, 2), (-1, 0), (0, -1)]:
        with pytest.raises(ValueError, match=r"there is no head -?\d in layer -?\d: layers are 0 to 1, heads 0 to 1"):
            study.loss(*wrong)


def test_wanted(monkeypatch, capsys):
    monkeypatch.delenv("MANYHEADS_SKIP_STUDIES", raising=False)
    assert studies.wanted() is True
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("MANYHEADS_SKIP_STUDIES", "1")
    assert studies.wanted() is False
    assert capsys.readouterr().out == "The experiments are left out: MANYHEADS_SKIP_STUDIES is set.\n"


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import numpy as np
before = set(sys.modules)
from manyheads import probes, studies
assert not {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names) - {"manyheads"}
assert studies.wanted() is False
assert probes.previous_token_score(np.eye(3, k=-1)[None, None]) == 1
calls = [
    lambda: studies.copying(2, 0), lambda: studies.induction(), lambda: studies.latent_rank(),
    lambda: probes.attention_maps(print), lambda: probes.ablated(print, {}), lambda: probes.ablation(print, print),
]
for call in calls:
    try:
        call()
    except ImportError as error:
        assert "pip install torch" in str(error), error
    else:
        raise SystemExit("no ImportError")
"""


def test_without_torch():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout
        == "The experiments are left out: they need torch, which is not installed. A build for the CPU is enough.\n"
    )
