"""Drawing sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manyheads.exercises import sizes


@given(st.integers(0, 10_000))
def test_sizes_are_in_their_ranges_and_pairwise_different(seed):
    drawn = sizes.draw_with_width(np.random.default_rng(seed), n_heads=(2, 5), head_dim=(2, 6), seq=(3, 9))
    assert len(set(drawn.values())) == 4
    assert 2 <= drawn["n_heads"] <= 5 and 2 <= drawn["head_dim"] <= 6 and 3 <= drawn["seq"] <= 9
    assert drawn["width"] == drawn["n_heads"] * drawn["head_dim"]


def test_impossible_ranges_are_refused():
    with pytest.raises(ValueError, match=r"no pairwise different sizes in .*; widen the ranges"):
        sizes.draw(np.random.default_rng(0), a=(2, 2), b=(2, 2))
