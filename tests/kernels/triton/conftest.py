"""Triton's interpreter, a third faster (it prepares its language again at every call of a function) and checked."""

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def prepared_once_a_launch(monkeypatch):
    """Functions that share their module's names find them prepared by the first of them."""
    from triton.runtime import interpreter

    prepared: set[int] = set()
    launch = interpreter.GridExecutor.__call__

    def launched(self, *args, **keywords):
        prepared.clear()
        return launch(self, *args, **keywords)

    def called(self, *args, **keywords):
        if id(self.fn.__globals__) not in prepared:
            prepared.add(id(self.fn.__globals__))
            interpreter._patch_lang(self.fn)
        return self.rewrite()(*args, **keywords)

    monkeypatch.setattr(interpreter.GridExecutor, "__call__", launched)
    monkeypatch.setattr(interpreter.InterpretedFunction, "__call__", called)


@pytest.fixture(autouse=True)
def nothing_beyond_the_arguments(prepared_once_a_launch, monkeypatch):
    """See addresses.py."""
    from tests.kernels.triton import addresses

    addresses.watch(monkeypatch)
