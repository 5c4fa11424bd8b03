"""The kernels as text: what the book shows is what is compiled."""

from pathlib import Path

from manyheads import _require

#: A kernel's short name, and the function that is launched. Its source is the file of that name.
KERNELS = {
    "lesson": "lesson_attention",
    "tiled": "tiled_attention",
    "head_stride": "head_stride_attention",
}


def source(kernel: str) -> str:
    """The text of a kernel's .cu file.

    Parameters
    ----------
    kernel : {"lesson", "tiled", "head_stride"}

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no kernel of that name.

    Examples
    --------
    >>> source("lesson").splitlines()[0]
    '// Attention, one block for each head: softmax(scale q k^T) v.'
    """
    _require.one_of("kernel", kernel, tuple(KERNELS))
    return (Path(__file__).parent / f"{KERNELS[kernel]}.cu").read_text("utf-8")
