"""What only tensors and modules can get wrong: devices, backends, gradients through a cache, other weights."""

import numpy as np
import pytest
import torch
from manyheads import AttentionConfig, reference, torch_path

pytestmark = pytest.mark.wrong_call
Q, K, V = torch.zeros(2, 6, 3, 4), torch.zeros(2, 2, 5, 4), torch.zeros(2, 2, 5, 7)
MHA, GQA = AttentionConfig(12, 6), AttentionConfig(12, 6, n_kv_heads=2)
MLA = AttentionConfig(12, 6, latent_rank=5)
MASK = torch.ones(3, 3, dtype=torch.bool)
WEIGHTS = [torch.zeros(12, width) for width in (12, 4, 4, 12)]
NUMPYS = reference.KVCache(2, 2, 2, 8)


def attend(q=Q, k=K, v=V, **options):
    return torch_path.attention(q, k, v, **options)


def loaded(w_qkv=(12, 20), w_o=(12, 12), bias=False, layout="concatenated", **biases):
    made = torch_path.GroupedQueryAttention(GQA, bias=bias)
    return made.load_fused(torch.zeros(w_qkv), torch.zeros(w_o), layout=layout, **biases)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: attend(k=K.to("meta")), ValueError, "q is on cpu, but k is on meta; move them to one device"),
        (lambda: attend(v=V.to("meta")), ValueError, "k is on cpu, but v is on meta; move them to one device"),
        (
            lambda: attend(mask=torch.ones(3, 5, dtype=torch.bool, device="meta")),
            ValueError,
            "q is on cpu, but mask is on meta; move them to one device",
        ),
        (
            lambda: attend(bias=torch.ones(3, 5, device="meta")),
            ValueError,
            "q is on cpu, but bias is on meta; move them to one device",
        ),
        (
            lambda: torch_path.mha(torch.zeros(2, 3, 12), *torch.zeros(4, 12, 12, device="meta"), n_heads=3),
            ValueError,
            "x is on cpu, but w_q is on meta; move them to one device",
        ),
        (
            lambda: attend(q=Q.numpy()),
            TypeError,
            "q must be a torch tensor, got a NumPy array; convert it with torch.from_numpy, "
            "or call manyheads.reference",
        ),
        (
            lambda: reference.attention(Q, K.numpy(), V.numpy()),
            TypeError,
            "q must be a NumPy array, got a torch tensor; convert it with .numpy(), or call manyheads.torch_path",
        ),
        (
            lambda: attend(mask=np.ones((3, 5), bool)),
            TypeError,
            "mask must be a torch tensor, got a NumPy array; convert it with torch.from_numpy, "
            "or call manyheads.reference",
        ),
        (
            lambda: attend(backend="sdp"),
            ValueError,
            "backend must be one of 'auto', 'math', 'sdpa', 'triton', 'cuda', got 'sdp'; did you mean 'sdpa'?",
        ),
        (
            lambda: attend(backend="triton", return_weights=True),
            ValueError,
            "backend='triton' cannot do return_weights; use 'math' or 'auto'",
        ),
        (
            lambda: attend(backend="triton", bias=torch.zeros(3, 5, requires_grad=True)),
            ValueError,
            "backend='triton' cannot do a bias that asks for gradients; use 'math' or 'auto'",
        ),
        (
            lambda: attend(backend="cuda"),
            ValueError,
            "backend='cuda' cannot do this call: they run on tensors of a GPU, and q is on cpu; "
            "manyheads.kernels.emulate runs them on NumPy arrays",
        ),
        (
            lambda: attend(backend="sdpa", softcap=2.0, return_weights=True),
            ValueError,
            "backend='sdpa' cannot do return_weights and softcap; use 'math' or 'auto'",
        ),
        (
            lambda: torch_path.KVCache(2, 2, 4, capacity=4).append(K[:, :, :1].clone().requires_grad_(), K[:, :, :1]),
            ValueError,
            "k asks for gradients, and a cache keeps none; use it under torch.no_grad()",
        ),
        (
            lambda: torch_path.KVCache(2, 2, 4, capacity=4, device="meta").append(K[:, :, :1], K[:, :, :1]),
            ValueError,
            "the cache is on meta, but k is on cpu; move them to one device",
        ),
        (
            lambda: torch_path.MultiHeadAttention(GQA),
            ValueError,
            "MultiHeadAttention is for MHA, and this config is GQA: use GroupedQueryAttention",
        ),
        (
            lambda: torch_path.GroupedQueryAttention(MLA),
            ValueError,
            "GroupedQueryAttention is for MHA, GQA, MQA, and this config is MLA: use LatentAttention",
        ),
        (
            lambda: torch_path.LatentAttention(MHA),
            ValueError,
            "LatentAttention is for MLA, and this config is MHA: use GroupedQueryAttention",
        ),
        (
            lambda: torch_path.KVCache.for_config(MLA, 2, 4),
            ValueError,
            "a config with latent_rank caches latents: use LatentCache.for_config",
        ),
        (
            lambda: torch_path.LatentCache.for_config(MHA, 2, 4),
            ValueError,
            "a config without latent_rank caches keys and values: use KVCache.for_config",
        ),
        (
            lambda: torch_path.MultiHeadAttention.from_torch(torch.nn.Linear(3, 3)),
            TypeError,
            "theirs must be an nn.MultiheadAttention, got Linear",
        ),
        (
            lambda: torch_path.MultiHeadAttention.from_torch(torch.nn.MultiheadAttention(12, 3, add_bias_kv=True)),
            ValueError,
            "add_bias_kv and add_zero_attn add a key that no token has; this layer cannot express them",
        ),
        (
            lambda: torch_path.MultiHeadAttention.from_torch(torch.nn.MultiheadAttention(12, 3, kdim=5, vdim=7)),
            ValueError,
            "keys and values come from one sequence here, but kdim=5 and vdim=7",
        ),
        (lambda: loaded(w_o=(12, 11)), ValueError, "w_o must be (12, 12), got shape (12, 11)"),
        (lambda: loaded(w_qkv=(12, 25)), ValueError, "w_qkv must be (12, 20), got shape (12, 25)"),
        (lambda: loaded(w_qkv=(20, 12)), ValueError, "w_qkv must be (12, 20), got shape (20, 12)"),
        (
            lambda: loaded(bias=True, b_qkv=torch.zeros(12), b_o=torch.zeros(12)),
            ValueError,
            "b_qkv must be (20,), got shape (12,)",
        ),
        (
            lambda: torch_path.GroupedQueryAttention(GQA).load_fused(np.zeros((12, 20)), np.zeros((12, 12))),
            TypeError,
            "w_qkv must be a torch tensor, got a NumPy array; convert it with torch.from_numpy, "
            "or call manyheads.reference",
        ),
        (
            lambda: torch_path.GroupedQueryAttention(AttentionConfig(12, 6, v_head_dim=3)).load_fused(Q, Q),
            ValueError,
            "fused weights have heads of one width, but this layer has head_dim=2 and v_head_dim=3",
        ),
        (lambda: torch_path.MultiHeadAttention({}), TypeError, "config must be an AttentionConfig, got dict"),
        (
            lambda: torch_path.GroupedQueryAttention(GQA, rotary="half"),
            ValueError,
            "rotary must be one of 'interleaved', 'halves', got 'half'; did you mean 'halves'?",
        ),
        (
            lambda: torch_path.GroupedQueryAttention(GQA)(torch.zeros(2, 3, 11)),
            ValueError,
            "d_model of x is 11, but rows of w_q is 12; they must be equal",
        ),
        (
            lambda: torch_path.combine_masks(MASK, MASK.to("meta")),
            ValueError,
            "mask 0 is on cpu, but mask 1 is on meta; move them to one device",
        ),
        (
            lambda: torch_path.rms_norm(Q, torch.ones(4, device="meta")),
            ValueError,
            "x is on cpu, but weight is on meta; move them to one device",
        ),
        (
            lambda: torch_path.fused_projection(torch.zeros(2, 3, 12), torch.zeros(12, 12).double(), 3),
            TypeError,
            "x is float32, but w is float64; give both the same dtype",
        ),
        (
            lambda: torch_path.merge_qkv(Q, K.numpy(), K.numpy()),
            TypeError,
            "q is a torch tensor, but k is a NumPy array; give both as the same",
        ),
        (
            lambda: torch_path.merge_attention([torch_path.attention(Q, K, V)]),
            TypeError,
            "part 0 must be a pair (out, lse), as blocked_attention gives it with return_lse=True; got Tensor",
        ),
        (
            lambda: torch_path.gqa(torch.zeros(2, 3, 12), *WEIGHTS, n_heads=6, n_kv_heads=2, mask=MASK.to("meta")),
            ValueError,
            "x is on cpu, but mask is on meta; move them to one device",
        ),
        (
            lambda: torch_path.gqa(torch.zeros(2, 3, 12), *WEIGHTS, n_heads=6, n_kv_heads=2, cache=NUMPYS),
            TypeError,
            "cache must be a KVCache (manyheads.torch_path.cache), got KVCache (manyheads.reference.cache)",
        ),
        (
            lambda: torch_path.KVCache(2, 2, 4, 8, dtype=np.float32),
            TypeError,
            "dtype must be a torch dtype, got <class 'numpy.float32'>",
        ),
        (
            lambda: torch_path.KVCache(2, 2, 4, 8, dtype=torch.int32),
            TypeError,
            "dtype must be floating point, got int32",
        ),
        (
            lambda: reference.KVCache(2, 2, 4, 8, dtype=torch.float32),
            TypeError,
            "dtype must be a NumPy dtype, got torch.float32",
        ),
        (lambda: loaded(bias=True), ValueError, "b_qkv is missing: this layer has biases"),
        (
            lambda: loaded(b_o=torch.zeros(12)),
            ValueError,
            "b_o is given, but this layer has no biases; make it with bias=True",
        ),
        (
            lambda: loaded(layout="per_head"),
            ValueError,
            "layout 'per_head' has one key and one value for each query head; got n_heads=6 and n_kv_heads=2: "
            "use 'per_group'",
        ),
    ],
)
def test_is_refused(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_a_cache_of_inference_mode_stays_there():
    with torch.inference_mode():
        cache = torch_path.KVCache(2, 2, 4, 8)
        cache.append(K, K)
    with torch.no_grad(), pytest.raises(ValueError) as caught:
        cache.append(K[:, :, :1], K[:, :, :1])
    assert str(caught.value) == (
        "this cache was made under torch.inference_mode(); use it there, or make it under torch.no_grad()"
    )
    assert cache.lengths.tolist() == [5, 5]


def test_without_torch_the_path_says_what_to_install():
    import subprocess
    import sys

    code = "import sys; sys.modules['torch'] = None\nimport manyheads.torch_path"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: manyheads.torch_path needs torch: pip install torch (README.md says which build is small)"
    )
