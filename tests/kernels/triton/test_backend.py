"""`torch_path.attention` with backends "triton", "cuda" and "auto", and what it explains."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from manyheads import AttentionConfig, torch_path
from manyheads.kernels import triton
from manyheads.kernels.launching import NotHere
from manyheads.torch_path import _choosing, attention

Q, K, V = (torch.randn(shape, generator=torch.Generator().manual_seed(i)) for i, shape in
           enumerate([(2, 4, 3, 8), (2, 2, 5, 8), (2, 2, 5, 12)]))  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [{}, {"causal": True}, {"causal": True, "window": 2, "softcap": 3.0}, {"window": (1, None), "scale": -0.7},
     {"mask": torch.arange(5) < torch.tensor([[[3]], [[1]], [[2]]])[:, 0]}, {"bias": torch.ones(1, 4, 3, 5)}],
    ids=lambda options: "-".join(options) or "plain",
)  # fmt: skip
def test_triton_gives_what_math_gives(options):
    got = attention(Q, K, V, backend="triton", **options)
    torch.testing.assert_close(got, attention(Q, K, V, backend="math", **options), rtol=0, atol=2e-6)


def test_few_queries_of_a_long_cache_are_split_over_programs(monkeypatch):
    monkeypatch.setattr(_choosing, "LONG", 5)
    called = []
    monkeypatch.setattr(
        sys.modules["manyheads.torch_path.attention"],
        "decode_attention",
        lambda *x, **options: called.append(options) or torch.zeros(2, 4, 3, 12),
    )
    attention(Q, K, V, causal=True, scale=0.3, backend="triton")
    assert called == [{"causal": False, "window": (None, 0), "scale": 0.3, "softcap": None}]
    attention(Q.clone().requires_grad_(), K, V, backend="triton")
    attention(Q, K, V, mask=torch.ones(3, 5, dtype=torch.bool), backend="triton")
    assert len(called) == 1


@pytest.mark.parametrize("name", ["mha", "gqa"])
def test_a_layer_trains_through_it(name):
    torch.manual_seed(0)
    kind = torch_path.MultiHeadAttention if name == "mha" else torch_path.GroupedQueryAttention
    layer = kind(AttentionConfig(8, 2) if name == "mha" else AttentionConfig(8, 2, n_kv_heads=1))
    x, wanted = torch.randn(1, 5, 8), torch.randn(1, 5, 8)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.3)
    losses = []
    for _ in range(4):
        loss = (layer(x, causal=True, backend="triton") - wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.9 * losses[0]


REFUSED = [
    (lambda: attention(Q, K, V, backend="triton", return_weights=True),
     "backend='triton' cannot do return_weights; use 'math' or 'auto'"),
    (lambda: attention(Q, K, V, backend="triton", bias=torch.zeros(3, 5, requires_grad=True)),
     "backend='triton' cannot do a bias that asks for gradients; use 'math' or 'auto'"),
    (lambda: attention(Q.bfloat16(), K.bfloat16(), V.bfloat16(), backend="triton"),
     "backend='triton' cannot do bfloat16 on the CPU, which Triton's interpreter gets wrong without a word; "
     "use 'math' or 'auto'"),
    (lambda: attention(*(torch.zeros(1, 1, 2, 300),) * 3, backend="triton"),
     "backend='triton' cannot do a head of 300 dimensions: 256 is the most that fits; use 'math' or 'auto'"),
    (lambda: triton.attention(*(torch.zeros(1, 1, 2, 300),) * 3),
     "the Triton kernels cannot do a head of 300 dimensions: 256 is the most that fits; use backend 'math'"),
    (lambda: triton.attention(Q, K, V, lengths=torch.ones(3, dtype=torch.int64)),
     "batch of q is 2, but lengths' only axis is 3; they must be equal"),
    (lambda: attention(Q, K, V, backend="cuda"),
     "backend='cuda' cannot do this call: they run on tensors of a GPU, and q is on cpu; "
     "manyheads.kernels.emulate runs them on NumPy arrays"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
@pytest.mark.wrong_call
def test_what_a_backend_cannot_do_is_refused_in_words(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.wrong_call
def test_lengths_are_whole_numbers():
    with pytest.raises(TypeError, match=r"lengths must be whole numbers, got float32"):
        triton.attention(Q, K, V, lengths=torch.ones(2))


def test_on_the_cpu_without_the_interpreter_it_says_what_to_set():
    code = (
        "import os; os.environ['TRITON_INTERPRET'] = '0'\n"
        "import torch; from manyheads import torch_path\n"
        "q = torch.zeros(1, 1, 2, 4)\n"
        "layer = torch_path.MultiHeadAttention(__import__('manyheads').AttentionConfig(4, 1))\n"
        "for call in (lambda: torch_path.attention(q, q, q, backend='triton'), "
        "lambda: layer(torch.zeros(1, 2, 4), backend='triton')):\n"
        "    try: call()\n"
        "    except RuntimeError as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    wanted = (
        "NotHere backend='triton' is not here: without a GPU, Triton kernels run interpreted: set TRITON_INTERPRET=1 "
        "in the environment before triton is first imported (before Python starts is the safe place)"
    )
    assert done.stdout.splitlines() == [wanted, wanted], done.stdout + done.stderr


def test_without_triton_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("manyheads.kernels.triton.support.importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("manyheads.kernels.triton.support.sys", SimpleNamespace(platform="linux", modules={}))
    with pytest.raises(NotHere, match=r"Triton kernels need triton: pip install \"manyheads\[kernel"):
        attention(Q, K, V, backend="triton")


def test_explain_computes_nothing_and_reads_like_sentences():
    choice = attention(Q, K, V, softcap=2.0, explain=True)
    assert (choice.backend, set(choice.others)) == ("math", {"sdpa", "triton", "cuda"})
    assert str(choice).startswith(
        "'math' computes this call: there is a softcap, which torch's fused attention does not know. "
        "Not 'sdpa': it knows no softcap."
    )
    assert attention(Q, K, V, backend="triton", explain=True).because == "backend='triton' asks for it"


GPU = SimpleNamespace(type="cuda", index=0)


@pytest.mark.parametrize(
    ("changed", "backend"),
    [
        ({}, "sdpa"),
        ({"causal": True}, "triton"),  # more keys than queries: torch would need a mask
        ({"causal": True, "k_len": 3}, "sdpa"),
        ({"window": (2, 2)}, "triton"),
        ({"softcap": 2.0}, "triton"),
        ({"softcap": 2.0, "dtype": torch.float64}, "math"),
        ({"causal": True, "dtype": torch.float64}, "sdpa"),
        ({"v_dim": 12}, "triton"),
        ({"v_dim": 12, "dtype": torch.float32}, "sdpa"),
        ({"return_weights": True}, "math"),
        ({"mask": True, "causal": True}, "sdpa"),
        ({"dim": 300, "causal": True}, "sdpa"),
        ({"dim": 300, "softcap": 2.0}, "math"),
        ({"k_len": 0}, "math"),
    ],
    ids=str,
)
def test_what_auto_takes_on_a_gpu(changed, backend, monkeypatch):
    """The table alone: tensors that only say that they are on a GPU."""
    monkeypatch.setattr(_choosing.triton, "not_here", lambda device: None)
    options = {"dim": 64, "v_dim": None, "k_len": 5, "dtype": torch.float16, **changed}
    dim, k_len = options.pop("dim"), options.pop("k_len")
    v_dim, dtype = options.pop("v_dim") or dim, options.pop("dtype")
    return_weights = options.pop("return_weights", False)
    if options.get("mask"):
        options["mask"] = torch.ones(3, k_len, dtype=torch.bool)
    q, k, v = (torch.zeros(shape, dtype=dtype) for shape in
               [(2, 4, 3, dim), (2, 2, k_len, dim), (2, 2, k_len, v_dim)])  # fmt: skip
    fixed = {"mask": None, "bias": None, "causal": False, "window": None, "scale": None, "softcap": None}
    call = _choosing_call(q, k, v, {**fixed, **options})
    there = [SimpleNamespace(is_cuda=True, device=GPU, dtype=x.dtype, shape=x.shape) for x in (q, k, v)]
    asked = _choosing.Asked(*there, call, return_weights)
    assert _choosing.choose("auto", asked).backend == backend


def _choosing_call(q, k, v, options):
    from manyheads.torch_path._call import checked

    return checked(q, k, v, **options)
