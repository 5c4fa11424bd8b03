"""Sizes that are pairwise different, so that a swapped axis cannot pass."""

import numpy as np


def draw(rng: np.random.Generator, **ranges: tuple[int, int]) -> dict[str, int]:
    """One whole number from each range (both ends included), all different from each other.

    Examples
    --------
    >>> import numpy as np
    >>> sizes = draw(np.random.default_rng(0), batch=(2, 3), n_heads=(3, 6), head_dim=(2, 9))
    >>> len(set(sizes.values()))
    3
    """
    for _ in range(1000):
        sizes = {name: int(rng.integers(low, high + 1)) for name, (low, high) in ranges.items()}
        if len(set(sizes.values())) == len(sizes):
            return sizes
    raise ValueError(f"no pairwise different sizes in {ranges}; widen the ranges")


def draw_with_width(rng: np.random.Generator, **ranges: tuple[int, int]) -> dict[str, int]:
    """As `draw`, and ``width = n_heads * head_dim`` differs from all of them too."""
    for _ in range(1000):
        sizes = draw(rng, **ranges)
        width = sizes["n_heads"] * sizes["head_dim"]
        if width not in sizes.values():
            return {**sizes, "width": width}
    raise ValueError(f"no width that differs from the other sizes in {ranges}; widen the ranges")


def normal(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> np.ndarray:
    """Standard normal numbers of a dtype."""
    return rng.standard_normal(shape).astype(dtype)
