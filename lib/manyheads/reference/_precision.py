"""In which dtype to compute: 16 bits are too few for sums and exponentials."""

import numpy as np


def working(dtype: np.dtype) -> np.dtype:
    """float32 for the 16-bit types, else the dtype itself."""
    return dtype if dtype.itemsize >= 4 else np.dtype(np.float32)
