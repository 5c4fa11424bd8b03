"""Wrong calls are refused, on both paths in the same words: what was got, what was expected, what to do."""

import numpy as np
import pytest

from .layers import VARIANTS, layer
from .paths import PATHS
from .told import TOLD
from .wrong_calls import CALLS, Wrong

pytestmark = [pytest.mark.wrong_call, pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)]
WORDS = {
    "numpy": {
        "array": "a NumPy array",
        "float": "float64",
        "module": "manyheads.reference",
        "latent_cache": "latent_cache",
    },
    "torch": {"array": "a torch tensor", "float": "float32", "module": "manyheads.torch_path", "latent_cache": "cache"},
}


@pytest.mark.parametrize("wrong", CALLS)
def test_is_refused(path, wrong):
    error, message = TOLD[wrong]
    for word, meaning in WORDS[path.name].items():
        message = message.replace(f"{{{word}}}", meaning)
    with pytest.raises(error) as caught:
        CALLS[wrong](Wrong(path))
    assert str(caught.value) == message


def test_there_are_many_and_each_is_told_something(path):
    assert CALLS.keys() == TOLD.keys()
    assert len(CALLS) >= 40
    right = Wrong(path)
    assert path.numpy(right.attend()).shape == (2, 6, 3, 7)  # what they are made wrong from is right
    assert path.numpy(right.gqa()).shape == path.numpy(right.mla()).shape == (2, 3, 12)


@pytest.mark.parametrize(
    "options",
    [
        {"softcap": -1.0},
        {"mask": np.ones((2, 9), bool)},
        {"bias": np.zeros((1, 1, 1, 9))},
        {"scale": float("inf")},
        {"lengths": [3, 0]},
        {"window": 2, "causal": True},
        {"rotary": "third"},
        {"return_weight": True},
    ],
    ids=lambda options: next(iter(options)),
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_refused_call_leaves_the_cache_as_it_was(path, variant, options):
    one = layer(variant)
    cache = one.cache(path, 2, 6)
    x = np.random.default_rng(5).standard_normal((2, 2, 11))
    one.run(path, x, cache=cache)
    before = path.numpy(cache._keys).copy()
    with pytest.raises((TypeError, ValueError)):
        one.run(path, x, cache=cache, **options)
    assert cache.lengths.tolist() == [2, 2]
    assert np.array_equal(path.numpy(cache._keys), before)
    assert cache._slots.positions.tolist() == [[0, 1, -1, -1, -1, -1]] * 2
