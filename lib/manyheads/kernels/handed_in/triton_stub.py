"""In the place of Triton where there is none: kernels can be defined, and asking for their text says what is missing.

So a notebook of Triton kernels runs on any system, and each check in it says in one line why it cannot check.
"""

from collections.abc import Callable

from manyheads.kernels.handed_in.triton_runner import missing
from manyheads.kernels.launching import NotHere


class _Kernel:
    """What `triton.jit` gives here."""

    @property
    def fn(self):
        """Where Triton keeps the function: whoever wants to check it is told why that cannot be done here."""
        raise NotHere(missing() or "Triton was missing when this kernel was defined: run the notebook once more.")

    def __call__(self, *_, **__):  # `check` takes what can be called
        return self.fn


class triton:  # noqa: N801 - named as what it stands for
    """`triton` in a notebook without Triton."""

    @staticmethod
    def jit(function: Callable) -> _Kernel:
        """A kernel that is never run.

        Examples
        --------
        >>> @triton.jit
        ... def nothing(x, BLOCK: tl.constexpr):
        ...     pass
        >>> callable(nothing)
        True
        """
        return _Kernel()


class tl:  # noqa: N801
    """`triton.language` in a notebook without Triton: all that is looked at when a kernel is defined."""

    constexpr = object
