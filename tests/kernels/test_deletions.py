"""The deletions are all found, and some of each kind are planted here: `make defects` plants every one."""

from collections import Counter

import pytest

from .deletions import deletions
from .plant_deletions import SAME, caught_by
from .planted import Copy

#: Found so far; a kernel may gain some, and what loses one says so here.
FOUND = {
    ("cuda", "barrier"): 7,
    ("cuda", "mask"): 36,
    ("cuda", "rescale"): 9,
    ("triton", "mask"): 94,
    ("triton", "rescale"): 8,
}
#: One of each: what is in its key.
PLANTED = {
    "a barrier in CUDA": "cuda/lesson_attention.cu barrier:",
    "a mask in CUDA": "cuda/lesson_attention.cu mask: const int end_key",
    "a rescaling in CUDA": "cuda/lesson_attention.cu rescale: total =",
    "a mask in Triton": "triton/visible.py mask: allowed = keys < length",
    "a rescaling in Triton": "triton/forward.py rescale: acc = acc *",
}


def test_all_are_found():
    found = Counter((one.language, one.kind) for one in deletions())
    assert found.keys() == FOUND.keys()
    assert all(found[kind] >= FOUND[kind] for kind in FOUND), found


def test_each_leaves_another_source():
    for one in deletions():
        assert one.after != one.before
        assert one.source() != one.file.read_text("utf-8")


def test_what_changes_nothing_is_still_there():
    assert set(SAME) <= {one.key for one in deletions()}
    assert all(SAME.values())


@pytest.fixture(scope="module")
def copy():
    with Copy() as copy:
        yield copy


@pytest.mark.parametrize("part", PLANTED.values(), ids=PLANTED)
def test_one_that_is_planted_is_caught(part, copy):
    (one,) = (one for one in deletions() if part in one.key)
    assert caught_by(one, copy)
