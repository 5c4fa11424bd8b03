"""What only a GPU can show of decoding: the launch itself, bfloat16, and the same bits while programs race."""

import pytest
import torch
from manyheads.kernels.triton.decode import decode_attention

from tests.kernels.triton.test_decode import expected, tensors

pytestmark = pytest.mark.gpu

#: batch, heads, kv_heads, q_len, k_len, head_dim, v_head_dim
SIZES = [
    (2, 12, 3, 1, 4099, 128, 128),
    (3, 8, 2, 5, 1023, 64, 64),
    (1, 6, 1, 16, 2050, 192, 128),
    (5, 4, 2, 3, 33, 80, 72),
]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("options", [{}, {"window": 100, "softcap": 5.0}], ids=["plain", "window+softcap"])
def test_error_is_at_most_twice_that_of_torch_in_the_same_dtype(sizes, dtype, options):
    q, k, v = tensors(*sizes, dtype=dtype)
    wanted = torch.from_numpy(expected(q, k, v, **options))
    out = decode_attention(q.cuda(), k.cuda(), v.cuda(), **options).cpu().double()
    rounded = wanted.to(dtype).double()  # what no computation in this dtype can avoid
    unavoidable = (rounded - wanted).abs().max()
    assert (out - wanted).abs().max() <= 2 * unavoidable + (2e-6 if dtype == torch.float32 else 2e-3)


@pytest.mark.parametrize("splits", [1, 2, 7, 64, 128])
def test_lengths_and_any_number_of_splits(splits):
    q, k, v = tensors(4, 6, 3, 2, 2000, 64, 48, dtype=torch.float16)
    lengths = torch.tensor([0, 1, 1999, 640])
    wanted = torch.from_numpy(expected(q, k, v, lengths))
    for item, length in enumerate(lengths):
        k[item, :, length:] = torch.nan
        v[item, :, length:] = torch.nan
    out = decode_attention(q.cuda(), k.cuda(), v.cuda(), lengths=lengths.cuda(), splits=splits)
    assert torch.isfinite(out).all()
    torch.testing.assert_close(out.cpu().double(), wanted, atol=2e-3, rtol=0)


def test_the_same_bits_a_hundred_times():
    q, k, v = (x.cuda() for x in tensors(2, 12, 3, 3, 4099, 64, 80, dtype=torch.bfloat16))
    first = decode_attention(q, k, v)
    assert all(torch.equal(first, decode_attention(q, k, v)) for _ in range(100))


def test_it_runs_in_order_on_the_stream_that_is_current():
    q, k, v = (x.cuda() for x in tensors(2, 12, 3, 3, 4099, 64, 80, dtype=torch.float16))
    wanted = decode_attention(q, k, v)
    torch.cuda.synchronize()
    late = torch.zeros_like(k)
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(10_000_000)
        late.copy_(k)
        out = decode_attention(q, late, v)
    torch.cuda.synchronize()
    assert torch.equal(out, wanted)
