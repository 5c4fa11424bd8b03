"""Figures: they follow the page's colours, say what they show, and mark what they should."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from manyheads import plots, reference

PRODUCT = np.arange(4 * 3 * 2).reshape(4, 3, 2)
RIGHT = reference.split_heads(PRODUCT.reshape(1, 4, 6), 3)[0]
BARE = PRODUCT.reshape(3, 4, 2)

FIGURES = {
    "per head and fused": lambda: plots.per_head_and_fused(np.zeros((3, 5)), np.zeros((4, 5, 2))),
    "where numbers went": lambda: plots.where_numbers_went(PRODUCT, {"x @ w": None, "bare": BARE}),
    "fused layouts": lambda: plots.fused_layouts({"concatenated": ["q0", "k0", "v0"], "per_head": ["q0", "k0", "v0"]}),
    "bars": lambda: plots.bars({"one": 1.0, "two": 2.5}, "ms"),
}


def svg(name):
    return plots.show(FIGURES[name](), alt="what it says & more", name=name).svgs[0]


@pytest.mark.parametrize("name", FIGURES)
def test_it_is_valid_svg_with_its_text_and_no_colour_of_its_own_for_ink(name):
    text = svg(name)
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img" and root.get("aria-label") == "what it says & more"
    assert plots.INK not in text and "currentColor" in text
    assert "#000000" not in text.replace("stroke: #000000; stroke-width: 0", ""), "black would vanish in dark mode"


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_is_the_same_bytes(name):
    assert svg(name) == svg(name)


def test_ids_of_two_figures_on_a_page_do_not_meet():
    pages = [plots.show(FIGURES["bars"](), "", name).svgs[0] for name in ("one", "two")]
    ids = [set(re.findall(r'\bid="([^"]+)"', page)) for page in pages]
    assert ids[0] and not ids[0] & ids[1]
    for page, own in zip(pages, ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", page)) <= own
        assert set(re.findall(r'href="#([^"]+)"', page)) <= own


def marks(figure):
    """How many cells are marked as out of place: a corner each."""
    return sum(type(patch).__name__ == "Polygon" for patch in figure.axes[0].patches)


def test_numbers_out_of_place_are_marked_and_others_not():
    assert marks(plots.where_numbers_went(PRODUCT, {"right": RIGHT})) == 0
    expected = int((RIGHT != BARE).sum())
    assert expected == 20
    assert marks(plots.where_numbers_went(PRODUCT, {"bare": BARE})) == expected


def test_heads_have_colours_of_their_own():
    assert len({plots.head_colour(h) for h in range(7)}) == 7
    assert plots.head_colour(7) == plots.head_colour(0)


def test_panels_and_caption_are_one_figure():
    made = plots.show([FIGURES["bars"](), FIGURES["bars"]()], ["one", "two"], "both", caption="a < b")
    page = made._repr_html_()
    assert page.count("<svg") == 2 and page.count("<figure") == 1
    assert "<figcaption>a &lt; b</figcaption>" in page
    assert repr(made) == "<Picture: one two>"
