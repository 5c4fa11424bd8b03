"""``python -m manyheads`` is ``manyheads``."""

from manyheads.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
