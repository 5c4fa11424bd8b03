"""Both paths behind one face, for tests that say the same of each."""

from typing import Any, NamedTuple

import numpy as np
import torch
from manyheads import reference, torch_path


class Path(NamedTuple):
    name: str
    functions: Any
    array: Any  # from NumPy
    numpy: Any  # back

    def zeros(self, *shape):
        return self.array(np.zeros(shape))


NUMPY = Path("numpy", reference, np.array, np.asarray)
TORCH = Path("torch", torch_path, lambda x: torch.from_numpy(np.array(x)), lambda x: x.detach().numpy())
PATHS = [NUMPY, TORCH]
