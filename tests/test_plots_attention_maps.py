"""Small multiples of attention maps: every head once, in its colour, in words, and with the future hatched."""

import base64
import io
import re
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest
from manyheads import plots

from .widgets.example import TOKENS, maps

#: By name, four shapes that a head can have, of 5 tokens.
SHAPES = {
    "the token before": np.vstack([np.eye(5)[:1], np.eye(5)[:4]]),
    "the token itself": np.eye(5),
    "the first token": np.repeat(np.eye(5)[:1], 5, axis=0),
    "the token after": np.vstack([np.eye(5)[1:], np.eye(5)[:1]]),
}


def pixels(svg: str) -> np.ndarray:
    """The picture inside a panel, (q_len, k_len, 4)."""
    found = re.search(r'href="data:image/png;base64,([^"]+)"', svg)
    return matplotlib.image.imread(io.BytesIO(base64.b64decode(found[1])))


def test_a_panel_for_each_head_and_a_row_for_each_module():
    picture = plots.attention_maps(maps(), TOKENS, title="Two < three")
    page = picture._repr_html_()
    assert page.count("<svg") == 4 + 2
    assert page.count('class="mh-panels"') == 2
    assert "Two &lt; three" in page
    for name in maps():
        assert f">{name}</p>" in page
    for svg in picture.svgs:
        root = ElementTree.fromstring(svg)
        assert root.get("role") == "img" and len(root.get("aria-label")) > 20
        assert plots.INK not in svg and "currentColor" in svg


@pytest.mark.parametrize("batch", [0, 2])
def test_a_panel_shows_the_weights_of_its_head_and_sequence(batch):
    picture = plots.attention_maps(maps(), batch=batch)
    panels = iter(picture.svgs)
    for weights in maps().values():
        for head, one in enumerate(weights[batch]):
            shown = pixels(next(panels))
            assert shown.shape == (*one.shape, 4)
            assert np.abs(shown[..., 3] ** 2 - one).max() < 0.01
            colour = np.array([int(plots.head_colour(head)[i : i + 2], 16) for i in (1, 3, 5)]) / 255
            assert np.abs(shown[one > 0.05][:, :3] - colour).max() < 0.02


@pytest.mark.parametrize("place", SHAPES)
def test_its_words_say_where_the_weight_lies(place):
    picture = plots.attention_maps(np.array([SHAPES["the token itself"], 0.9 * SHAPES[place] + 0.02]))
    weight = np.mean((0.9 * SHAPES[place] + 0.02)[SHAPES[place] == 1][1:4])
    assert f"layer 0, head 1: the largest mean weight is on {place}, {weight:.2f} on average." in picture.alt


def test_of_two_sequences_the_chosen_one_is_told():
    both = np.stack([SHAPES["the first token"], SHAPES["the token before"]])[:, None]
    assert "the token before, 1.00" in plots.attention_maps({"a": both}, batch=1).alt
    assert "the first token, 1.00" in plots.attention_maps({"a": both}).alt


def test_a_fixed_distance_and_no_fixed_place_are_told():
    induction = np.zeros((1, 12, 12))
    induction[0, np.arange(5, 12), np.arange(7)] = 0.9
    assert "on the token 5 before, 0.90 on average" in plots.attention_maps(induction).alt
    even = np.tril(np.ones((1, 24, 24)))
    even /= even.sum(-1, keepdims=True)
    assert "on no fixed place: at most the token before, 0.12 on average" in plots.attention_maps(even).alt


def test_maps_with_other_keys_are_told_too():
    crossed = np.zeros((1, 4, 3))
    crossed[..., 2] = 1
    assert "head 0: the largest mean weight is on key 2, 1.00 on average" in plots.attention_maps(crossed).alt


def test_the_future_is_hatched_only_under_a_causal_mask():
    causal, full = plots.attention_maps(maps()), plots.attention_maps(maps(causal=False))
    assert all("<pattern" in svg for svg in causal.svgs)
    assert not any("<pattern" in svg for svg in full.svgs)
    assert "Hatched" in causal.caption and "Hatched" not in full.caption


def test_short_tokens_stand_beside_the_map_and_long_texts_do_not():
    assert plots.attention_maps(maps(), TOKENS).svgs[0].count(">dog<") == 2
    long = [["incomprehensible", *row[1:]] for row in TOKENS]
    assert ">dog<" not in plots.attention_maps(maps(), long).svgs[0]


def test_the_same_maps_are_the_same_bytes_and_others_have_other_ids():
    one, same, other = (plots.attention_maps(given)._repr_html_() for given in (maps(), maps(), maps(causal=False)))
    assert one == same
    ids = [set(re.findall(r'\bid="([^"]+)"', page)) for page in (one, other)]
    assert ids[0] and not ids[0] & ids[1]


def test_many_heads_wrap():
    page = plots.attention_maps(np.full((12, 5, 5), 0.2))._repr_html_()
    assert page.count("<svg") == 12 and "flex-wrap:wrap" in page


def test_one_token_is_a_map_too():
    assert "key 0, 1.00" in plots.attention_maps(np.ones((1, 1, 1)), tokens=["a"]).alt


@pytest.mark.parametrize("batch", [-1, 3])
def test_a_sequence_that_does_not_exist_is_refused(batch):
    with pytest.raises(ValueError, match=f"batch={batch} is not a sequence of these maps; they have 3"):
        plots.attention_maps(maps(), batch=batch)
