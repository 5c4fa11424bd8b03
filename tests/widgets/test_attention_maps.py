"""The Python side of the widget: what goes into the page, and what is refused."""

import subprocess
import sys
import tomllib
from pathlib import Path

import manyheads
import numpy as np
import pytest
import traitlets
from manyheads import plots
from manyheads.widgets import AttentionMaps
from manyheads.widgets.attention_maps import MOST_NUMBERS

from ..helpers import ROOT
from .example import BATCH, SEQ, TOKENS, maps


def numbers(widget) -> np.ndarray:
    return np.frombuffer(widget.weights, "<u2") / 1000


def test_the_state_describes_the_maps_and_keeps_three_decimals():
    widget = AttentionMaps(maps(), TOKENS)
    assert widget.layers == [
        {"name": "blocks.0", "shape": [4, SEQ, SEQ], "causal": True},
        {"name": "blocks.1", "shape": [2, SEQ, SEQ], "causal": True},
    ]
    assert (widget.sequences, widget.tokens) == (BATCH, TOKENS)
    given = np.concatenate([weights.ravel() for weights in maps().values()])
    assert numbers(widget).shape == given.shape
    assert np.abs(numbers(widget) - given).max() <= 0.0005 + 1e-7
    assert widget.colours == list(plots.HEAD_COLOURS)


def test_all_of_it_is_synced():
    state = AttentionMaps(maps(), TOKENS).get_state()
    wanted = {"layers", "weights", "sequences", "tokens", "colours", "layer", "head", "sequence", "_esm", "_css"}
    assert wanted <= set(state)


def test_without_a_causal_mask_it_says_so():
    assert not any(layer["causal"] for layer in AttentionMaps(maps(causal=False)).layers)


def test_a_single_last_query_has_no_future():
    assert not AttentionMaps(np.full((4, 1, 5), 0.2)).layers[0]["causal"]


@pytest.mark.parametrize(
    ("shape", "layers", "sequences"),
    [
        ((2, 3, 4, 5, 6), [[4, 5, 6]] * 2, 3),
        ((2, 4, 5, 6), [[4, 5, 6]] * 2, 1),
        ((4, 5, 6), [[4, 5, 6]], 1),
    ],
)
def test_one_array_is_layers_then_sequences(shape, layers, sequences):
    given = np.random.default_rng(0).integers(0, 1001, shape) / 1000
    widget = AttentionMaps(given)
    assert [layer["shape"] for layer in widget.layers] == layers
    assert widget.sequences == sequences
    assert np.array_equal(numbers(widget), given.ravel())


def test_tokens_of_one_sequence_serve_all_and_may_be_an_array_of_numbers():
    assert AttentionMaps(maps(), TOKENS[0]).tokens == [TOKENS[0]] * BATCH
    ids = np.arange(BATCH * SEQ).reshape(BATCH, SEQ)
    assert AttentionMaps(maps(), ids).tokens[1] == ["7", "8", "9", "10", "11", "12", "13"]


def test_tensors_are_taken_too():
    import torch

    widget = AttentionMaps({name: torch.from_numpy(weights) for name, weights in maps().items()})
    assert widget.weights == AttentionMaps(maps()).weights


def test_other_names():
    assert [layer["name"] for layer in AttentionMaps(maps(), names=["one", "two"]).layers] == ["one", "two"]


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (maps(), {"tokens": TOKENS[:2]}, "tokens has 2 sequences, the maps have 3"),
        (maps(), {"tokens": TOKENS[0][:5]}, "tokens has 5 in a sequence, the map of 'blocks.0' has 7 keys"),
        (maps(), {"names": ["one"]}, "names must be 2 different names"),
        ({}, {}, "maps is empty"),
        (np.zeros((2, 5)), {}, r"got shape \(2, 5\)"),
        ({"a": np.zeros((2, 5))}, {}, r"'a' must be \(batch, heads, q_len, k_len\) .* got shape \(2, 5\)"),
        (np.zeros((2, 0, 5)), {}, "empty"),
        (np.full((2, 4, 5), np.nan), {}, "finite"),
        (np.full((2, 4, 5), -3.0), {}, "from 0 to 1; got -3 to -3"),
        ({"a": np.zeros((1, 2, 4, 5)), "b": np.zeros((3, 2, 4, 5))}, {}, "same batch"),
        (np.zeros((2, 5, 4)), {"tokens": list("abcd")}, "more queries than keys"),
    ],
)
def test_what_does_not_fit_is_refused(given, options, said):
    with pytest.raises(ValueError, match=said):
        AttentionMaps(given, **options)


def test_maps_too_large_for_a_page_are_refused_with_what_to_do():
    with pytest.raises(ValueError, match=r"2,000,001 numbers.*choose fewer sequences"):
        AttentionMaps(np.zeros((1, 1, MOST_NUMBERS + 1), np.uint8))


@pytest.mark.parametrize(("name", "most"), [("layer", 2), ("head", 4), ("sequence", BATCH)])
def test_what_is_chosen_must_exist(name, most):
    widget = AttentionMaps(maps())
    setattr(widget, name, most - 1)
    for wrong in (-1, most):
        with pytest.raises(traitlets.TraitError, match=f"{name}={wrong} does not exist; there are {most}"):
            setattr(widget, name, wrong)


def test_as_text_it_is_short():
    assert repr(AttentionMaps(maps())) == "<AttentionMaps: blocks.0, blocks.1>"


def test_its_scripts_are_part_of_the_package():
    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"][
        "manyheads"
    ]
    kept = {path.name for pattern in data for path in Path(manyheads.__path__[0]).glob(pattern)}
    assert {"attention_maps.js", "attention_maps_numbers.js", "attention_maps.css"} <= kept


def test_the_library_loads_no_widget():
    code = "import sys, manyheads; sys.exit('anywidget' in sys.modules or 'ipywidgets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
