"""A loop that forgets an element cannot pass by what np.empty happens to hold."""

import numpy as np
import pytest
from manyheads.grading import unset
from manyheads.grading.run import call


def forgets_the_first(w):
    out = np.empty_like(w)
    out[1:] = w[1:]
    return out


def test_it_fails_however_often_it_is_tried():
    w = np.arange(6.0).reshape(3, 2)
    for _ in range(50):
        right = w.copy()  # freed at once: the memory that np.empty would get
        del right
        got = call(forgets_the_first, {"w": w})
        assert got.asked_for_unset and np.isnan(got.value.array[0]).all()


@pytest.mark.parametrize(
    ("dtype", "shown"), [("float32", np.nan), ("int64", 2**63 - 1), ("uint8", 255), ("complex128", np.nan)]
)
def test_unset_elements_show(dtype, shown):
    with unset.visible() as seen:
        assert not seen.asked
        made = np.empty((2, 3), dtype)
        assert seen.asked and made.dtype == dtype
    assert np.array_equal(made, np.full((2, 3), shown, dtype), equal_nan=dtype[0] in "fc")


@pytest.mark.parametrize("order", ["C", "F"])
def test_of_booleans_some_are_true(order):
    with unset.visible():
        made = np.empty((3, 3), bool, order=order)
    assert 0 < made.sum() < 9


def test_numpy_is_itself_again_also_after_an_error():
    before = np.empty, np.empty_like

    def fails(w):
        raise ValueError

    call(fails, {"w": np.ones(2)})
    assert (np.empty, np.empty_like) == before


def test_the_student_is_told(capsys):
    from manyheads.grading import CheckFailed, check

    def pack_heads(w):
        n_heads, d_model, head_dim = w.shape
        out = np.empty((d_model, n_heads * head_dim), w.dtype)
        for h in range(1, n_heads):
            out[:, h * head_dim : (h + 1) * head_dim] = w[h]
        return out

    with pytest.raises(CheckFailed):
        check("pack-heads", pack_heads, "values")
    said = " ".join(capsys.readouterr().out.split())
    assert "NaN or infinite" in said
    assert "costs no points: np.empty does not set its elements" in said
