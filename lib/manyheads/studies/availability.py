"""Whether the studies can and should run here."""

import os

#: Set where notebooks are graded: no point depends on a study, and they take minutes.
SKIP = "MANYHEADS_SKIP_STUDIES"


def wanted() -> bool:
    """Whether to run the studies; where not, one printed line says why.

    Returns
    -------
    bool
        False where the environment has ``MANYHEADS_SKIP_STUDIES``, and where torch is missing.

    Notes
    -----
    For notebooks, whose other cells need NumPy alone: ``if wanted(): copying(4, seed=0)``; see `copying`.

    Examples
    --------
    >>> import os
    >>> os.environ["MANYHEADS_SKIP_STUDIES"] = "1"
    >>> wanted()
    The experiments are left out: MANYHEADS_SKIP_STUDIES is set.
    False
    >>> del os.environ["MANYHEADS_SKIP_STUDIES"]
    """
    if os.environ.get(SKIP):
        print(f"The experiments are left out: {SKIP} is set.")
        return False
    try:
        import torch  # noqa: F401
    except ImportError:
        print("The experiments are left out: they need torch, which is not installed. A build for the CPU is enough.")
        return False
    return True
