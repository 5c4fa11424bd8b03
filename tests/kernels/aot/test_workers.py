"""The processes that compile: reused, replaced, ended in time; and nothing compiled twice."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from manyheads.kernels import aot, cache
from manyheads.kernels.aot import workers
from manyheads.kernels.launching import KernelError, Launch, Out

from tests.kernels.aot.cuda_kernels import REVERSE

ADD = """
@triton.jit
def add(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
"""
LAUNCH = Launch(
    "add", (3,), arguments={"x": np.zeros(70, np.float32), "out": Out((70,)), "n": 70}, constants={"BLOCK": 32}
)


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """An empty cache and no worker."""
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path))
    workers.close()
    yield tmp_path
    workers.close()


@pytest.fixture
def counted(monkeypatch):
    """The jobs that reach a worker."""
    jobs, run = [], workers.Worker.run
    monkeypatch.setattr(
        workers.Worker, "run", lambda worker, job, seconds: jobs.append(job) or run(worker, job, seconds)
    )
    return jobs


def test_a_second_call_compiles_nothing(counted):
    first = aot.compile_triton(ADD, LAUNCH), aot.compile_cuda(REVERSE, "reverse", "sm_80", {"BLOCK": 96})
    assert len(counted) == 2
    assert (aot.compile_triton(ADD, LAUNCH), aot.compile_cuda(REVERSE, "reverse", "sm_80", {"BLOCK": 96})) == first
    assert len(counted) == 2


def test_an_error_is_kept_as_well(counted):
    for _ in range(2):
        with pytest.raises(KernelError, match="m is not defined"):
            aot.compile_triton(ADD.replace("< n)", "< m)"), LAUNCH)
    assert len(counted) == 1


@pytest.mark.parametrize("changed", [{"arch": "sm_90"}, {"num_warps": 2}, {"num_stages": 3}])
def test_what_changes_the_outcome_is_compiled_anew(counted, changed):
    aot.compile_triton(ADD, LAUNCH)
    aot.compile_triton(ADD, LAUNCH, **changed)
    aot.compile_triton(ADD + "\n", LAUNCH)
    assert len(counted) == 3


def test_a_spoilt_file_in_the_cache_is_compiled_anew(counted, fresh):
    first = aot.compile_triton(ADD, LAUNCH)
    (kept,) = (fresh / "compiled").iterdir()
    kept.write_text("{")
    assert aot.compile_triton(ADD, LAUNCH) == first
    assert len(counted) == 2


def test_a_cache_that_cannot_be_written_costs_only_time(monkeypatch, fresh):
    (fresh / "file").write_text("")
    monkeypatch.setenv("MANYHEADS_CACHE", str(fresh / "file"))
    assert aot.compile_triton(ADD, LAUNCH).spill_stores == 0


def test_the_cache_is_in_the_users_place(monkeypatch, fresh):
    monkeypatch.delenv("MANYHEADS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "users"))
    assert cache.folder() == fresh / "users" / "manyheads"


def test_one_worker_does_job_after_job_and_a_killed_one_is_replaced():
    aot.compile_triton(ADD, LAUNCH)
    aot.compile_triton(ADD, LAUNCH, "sm_90")
    (worker,) = workers._idle
    os.kill(worker.process.pid, signal.SIGKILL)
    worker.process.wait()
    assert aot.compile_triton(ADD + "# another", LAUNCH).spill_stores == 0
    (other,) = workers._idle
    assert other.process.pid != worker.process.pid


def test_a_kernel_that_is_not_done_in_time_is_ended_and_the_next_one_compiles():
    begun = time.monotonic()
    with pytest.raises(KernelError) as caught:
        aot.compile_triton("while True:\n    pass\n" + ADD, LAUNCH, seconds=0.5)
    assert caught.value.finding.kind == "endless"
    assert "longer than 0.5 seconds" in caught.value.finding.message
    assert time.monotonic() - begun < 20
    assert aot.compile_triton(ADD, LAUNCH).spill_stores == 0
    assert len(workers._idle) == 1


def test_a_time_out_is_not_kept(counted):
    for _ in range(2):
        with pytest.raises(KernelError, match="endless"):
            aot.compile_triton("while True:\n    pass\n" + ADD, LAUNCH, seconds=0.2)
    assert len(counted) == 2


def test_a_text_that_ends_its_process_ends_nothing_else():
    with pytest.raises(KernelError) as caught:
        aot.compile_triton("import os\nos.kill(os.getpid(), 11)\n" + ADD, LAUNCH)
    assert caught.value.finding.kind == "crash"
    assert "signal 11" in caught.value.finding.message
    with pytest.raises(KernelError, match="crash"):
        aot.compile_triton("import os\nos._exit(0)\n" + ADD, LAUNCH)
    assert aot.compile_triton(ADD, LAUNCH).spill_stores == 0


def test_what_a_text_prints_does_not_become_the_answer():
    assert aot.compile_triton("print('{\"resources\": 7}')\n" + ADD, LAUNCH).registers > 0


def test_threads_that_call_at_once_have_a_worker_each():
    taken = {}

    def compile_for(arch):
        taken[arch] = aot.compile_triton(ADD, LAUNCH, arch)

    threads = [threading.Thread(target=compile_for, args=(arch,)) for arch in ("sm_80", "sm_90")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {arch: each.arch for arch, each in taken.items()} == {"sm_80": "sm_80", "sm_90": "sm_90"}
    assert len(workers._idle) == 2
