"""What goes through the pipes between a checker and its worker: frames of a JSON header and the arrays' raw bytes.

No pickle: what comes back from a process that ran handed-in code is data, and never code.
"""

import json
import os
import select
import time

import numpy as np

_MOST_HEADER = 1 << 20  # bytes: a source and its arguments are a few thousand
DTYPES = frozenset(
    {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"}
)


def frame(header: dict, arrays: dict[str, np.ndarray]) -> bytes:
    """One message: lengths, header, and the arrays one after the other.

    Examples
    --------
    >>> header, arrays = unframe(frame({"say": "hello"}, {"x": np.arange(3, dtype=np.int32)}))
    >>> header["say"], arrays["x"]
    ('hello', array([0, 1, 2], dtype=int32))
    """
    parts = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    table = [[name, part.dtype.name, list(part.shape)] for name, part in parts.items()]
    head = json.dumps({**header, "arrays": table}).encode()
    body = b"".join(part.tobytes() for part in parts.values())
    return len(head).to_bytes(8, "little") + len(body).to_bytes(8, "little") + head + body


def unframe(message: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """The header and the arrays of a whole message; ValueError if it is none."""
    head_size, body_size = (int.from_bytes(message[i : i + 8], "little") for i in (0, 8))
    if head_size > _MOST_HEADER or len(message) != 16 + head_size + body_size:
        raise ValueError("the worker's message is cut or malformed")
    header = json.loads(message[16 : 16 + head_size])
    arrays, at = {}, 16 + head_size
    for name, dtype, shape in header.pop("arrays"):
        if dtype not in DTYPES:
            raise ValueError(f"the worker's message holds an array of dtype {dtype!r}")
        count = int(np.prod(shape, dtype=np.int64))
        # A copy: it may be written to, and keeps no large message alive.
        arrays[name] = np.frombuffer(message, dtype, count, at).reshape(shape).copy()
        at += arrays[name].nbytes
    return header, arrays


def write_all(pipe: int, message: bytes) -> None:
    """Write the whole message."""
    view = memoryview(message)
    while view:
        view = view[os.write(pipe, view[: 1 << 20]) :]


def read_all(pipe: int, deadline: float | None = None, also: int | None = None, most: int = 1 << 31) -> bytes | None:
    """Read one message; None if the pipe ends before it does. No unpacking: that is `unframe`'s.

    Raises
    ------
    TimeoutError
        At the deadline (of `time.monotonic`).
    EOFError
        When the pipe `also` has something to say: its other end is gone.
    """
    got = bytearray()
    wanted = 16
    while len(got) < wanted:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        ready, _, _ = select.select([pipe] if also is None else [pipe, also], [], [], left)
        if also is not None and also in ready:
            raise EOFError
        if pipe not in ready:
            continue
        piece = os.read(pipe, min(1 << 20, wanted - len(got)))
        if not piece:
            return None
        got += piece
        if wanted == 16 and len(got) == 16:
            wanted = 16 + sum(int.from_bytes(got[i : i + 8], "little") for i in (0, 8))
            if wanted > most:
                return None
    return bytes(got)
