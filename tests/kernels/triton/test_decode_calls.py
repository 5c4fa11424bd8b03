"""What decoding refuses, in which words; and as an operator of torch."""

import re

import pytest
import torch
from manyheads.kernels.triton.decode import decode_attention

from tests.kernels.triton.test_decode import expected, same, tensors


def call(**changed):
    q, k, v = tensors(2, 6, 3, 4, 40, 16, 24)
    return decode_attention(**{"q": q, "k": k, "v": v, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"q": torch.zeros(2, 6, 17, 16)}, ValueError, "q has q_len=17; decode_attention takes 1 to 16 queries"),
        ({"q": torch.zeros(2, 6, 0, 16)}, ValueError, "q has q_len=0"),
        ({"q": torch.zeros(2, 6, 4, 16, requires_grad=True)}, ValueError, "gives no gradients"),
        ({"q": torch.zeros(2, 5, 4, 16)}, ValueError, "5 heads of q are not divisible by 3 heads of k"),
        ({"lengths": torch.tensor([3, 41])}, ValueError, "lengths must be from 0 to k_len=40, got 3 to 41"),
        ({"lengths": torch.tensor([-1, 7])}, ValueError, "got -1 to 7"),
        ({"lengths": torch.tensor([1.0, 2.0])}, TypeError, "lengths must be whole numbers, got float32"),
        ({"lengths": torch.tensor([1, 2, 3])}, ValueError, "batch of q is 2, but length of lengths is 3"),
        ({"lengths": [3, 4]}, TypeError, "lengths must be a torch tensor, got list"),
        ({"splits": 0}, ValueError, "splits must be at least 1, got 0"),
        ({"window": 0}, ValueError, "window must be at least 1"),
        ({"softcap": -1.0}, ValueError, "softcap must be greater than 0"),
    ],
)
def test_a_wrong_call_is_refused_in_words_that_help(changed, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call(**changed)


def test_heads_too_wide_for_the_tiles_are_refused():
    q, k, v = tensors(1, 2, 1, 3, 7, 257, 16)
    with pytest.raises(ValueError, match="cannot do a head of 257 dimensions"):
        decode_attention(q, k, v)


def test_bfloat16_is_refused_where_it_would_be_wrong():
    q, k, v = tensors(2, 6, 3, 4, 40, 16, 24, dtype=torch.bfloat16)
    with pytest.raises(ValueError, match="cannot do bfloat16 on the CPU"):
        decode_attention(q, k, v)


def test_without_gradients_a_model_that_trains_may_decode():
    q, k, v = tensors(2, 6, 3, 4, 40, 16, 24)
    with torch.no_grad():
        same(decode_attention(q.requires_grad_(), k, v), expected(q.detach(), k, v), torch.float32)


def test_it_is_a_proper_operator():
    from manyheads.kernels.triton.decode_op import decode

    q, k, v = tensors(2, 6, 3, 4, 40, 16, 24)
    lengths = torch.tensor([40, 17], dtype=torch.int32)
    done = torch.library.opcheck(decode, (q, k, v, lengths, 8, 0, 0.25, 2.0, None))
    assert set(done.values()) == {"SUCCESS"}


def test_it_compiles_as_one_graph():
    q, k, v = tensors(2, 6, 3, 4, 40, 16, 24)
    compiled = torch.compile(lambda q: decode_attention(q * 2, k, v, splits=2) + 1, backend="aot_eager", fullgraph=True)
    same(compiled(q) - 1, expected(q * 2, k, v), torch.float32)
