"""Kernels built here go to a cache of their own."""

import shutil

import pytest

#: A compiler that is not here is left out, and `test_building.py` says that one must be.
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANYHEADS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def pytest_generate_tests(metafunc):
    if "with_compiler" in metafunc.fixturenames:
        metafunc.parametrize("with_compiler", COMPILERS, indirect=True)


@pytest.fixture
def with_compiler(request, monkeypatch):
    monkeypatch.setenv("MANYHEADS_CXX", request.param)
    return request.param
