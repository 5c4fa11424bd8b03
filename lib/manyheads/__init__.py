"""Many Heads: the library of a course on multi-head attention.

Importing it loads NumPy and the standard library, nothing else.
"""

from manyheads import costs, models, reference
from manyheads.config import AttentionConfig

__version__ = "0.1.0"
__all__ = ["AttentionConfig", "costs", "models", "reference"]
