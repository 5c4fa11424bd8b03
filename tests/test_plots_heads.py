"""Scores and ablation as bars: the right numbers, in the right places, also in words."""

import re

import pytest
from manyheads import plots
from manyheads.probes import HeadScores

ROWS = [HeadScores("layer 0", 0, 0.5, 0.25, 0.0), HeadScores("layer 0", 1, 0.93, 0.125, 0.0),
        HeadScores("layer 1", 0, 0.0625, 0.3, 0.98)]  # fmt: skip


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_a_panel_for_each_score_says_every_head():
    picture = plots.head_scores(ROWS)
    assert len(picture.svgs) == 3
    assert "Score previous token: layer 0, head 0: 0.50; layer 0, head 1: 0.93; layer 1, head 0: 0.06." in picture.alt
    assert "Score induction: layer 0, head 0: 0.00; layer 0, head 1: 0.00; layer 1, head 0: 0.98." in picture.alt
    shown = [text.strip() for text in texts(picture.svgs[1])]
    assert [t for t in shown if t in ("0.25", "0.12", "0.30")] == ["0.25", "0.12", "0.30"]
    assert "layer 0, head 1" in shown and "first token" in shown


def test_without_tokens_there_is_no_panel_for_induction():
    rows = [HeadScores("a", head, 0.5, 0.5) for head in range(2)]
    assert len(plots.head_scores(rows).svgs) == 2


def test_a_head_without_which_the_loss_falls_stands_to_the_left():
    picture = plots.ablation({("layer 0", 0): 3.2, ("layer 1", 1): -0.5})
    assert picture.alt == "The loss rises, in nats, without layer 0, head 0: +3.20; layer 1, head 1: -0.50."
    bars = re.findall(r'<path d="M ([\d.]+) [\d.]+ \nL ([\d.]+)', picture.svgs[0])
    starts = [tuple(map(float, bar)) for bar in bars]
    assert any(left > right for left, right in starts) and any(left < right for left, right in starts)


@pytest.mark.parametrize("draw", [plots.head_scores, plots.ablation])
def test_nothing_to_show_is_refused(draw):
    with pytest.raises(ValueError, match="there is no head to show"):
        draw({})
