"""Models that compute attention in every way that the probes know; batch 2, 3 heads, 5 tokens, width 12."""

import torch
from manyheads import AttentionConfig, torch_path
from torch import nn
from torch.nn import functional

BATCH, HEADS, SEQ, WIDTH = 2, 3, 5, 12


class Projected(nn.Module):
    """Q, K and V of three heads of 4, an output projection, and a way to attend between them."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        return self.out(self.attend(q, k, v).transpose(1, 2).flatten(2))

    def attend(self, q, k, v):
        return self.weights(q, k) @ v

    @staticmethod
    def weights(q, k):
        """The oracle of all of them: causal."""
        scores = (q @ k.mT) / 2.0
        return scores.masked_fill(~torch.ones(SEQ, SEQ, dtype=torch.bool).tril(), -torch.inf).softmax(-1)

    @torch.no_grad()
    def expected(self, x):
        """Weights, and the heads' results."""
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        weights = Projected.weights(q, k)
        return weights, weights @ v


class WithFunctional(Projected):
    @staticmethod
    def weights(q, k):
        scores = (q @ k.mT) / 2.0
        mask = ~torch.ones(SEQ, SEQ, dtype=torch.bool).tril()
        return functional.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)


class WithSoftmaxModule(Projected):
    def __init__(self):
        super().__init__()
        self.softmax, self.dropout = nn.Softmax(dim=-1), nn.Dropout(0.5)

    def attend(self, q, k, v):
        scores = (q @ k.mT) / 2.0
        mask = ~torch.ones(SEQ, SEQ, dtype=torch.bool).tril()
        return torch.matmul(self.dropout(self.softmax(scores.masked_fill(mask, -torch.inf))).to(v.dtype), v)


class WithEinsum(Projected):
    def attend(self, q, k, v):
        return torch.einsum("bhqk,bhkd->bqhd", self.weights(q, k), v).transpose(1, 2)


class WithGroups(Projected):
    """Five axes: (batch, K/V heads, group, q_len, k_len)."""

    def attend(self, q, k, v):
        return (self.weights(q[:, :, None], k[:, :, None]) @ v[:, :, None])[:, :, 0]


class WithFlatBatch(Projected):
    """Batch and heads in one axis for the products, as older code has it; four axes for the softmax."""

    def attend(self, q, k, v):
        weights = self.weights(q, k).view(BATCH * HEADS, SEQ, SEQ).view(BATCH, HEADS, SEQ, SEQ)
        return weights.matmul(v)


class WithSdpa(Projected):
    def attend(self, q, k, v):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class WithOurs(Projected):
    backend = "auto"

    def attend(self, q, k, v):
        return torch_path.attention(q, k, v, causal=True, backend=self.backend)


class WithOursMath(WithOurs):
    backend = "math"


class WithOurSoftmax(Projected):
    def attend(self, q, k, v):
        return torch_path.attention_scores(q, k, causal=True, stage="weights") @ v


KINDS = [
    Projected, WithFunctional, WithSoftmaxModule, WithEinsum, WithGroups, WithFlatBatch, WithSdpa, WithOurs,
    WithOursMath, WithOurSoftmax,
]  # fmt: skip

CONFIGS = {
    "mha": AttentionConfig(WIDTH, HEADS, head_dim=5, v_head_dim=7),
    "gqa": AttentionConfig(WIDTH, 6, n_kv_heads=2),
    "mla": AttentionConfig(WIDTH, HEADS, head_dim=5, v_head_dim=7, latent_rank=6, rope_head_dim=4),
}


def layer(name: str) -> nn.Module:
    """A layer of this library."""
    torch.manual_seed(0)
    if name == "mla":
        return torch_path.LatentAttention(CONFIGS[name])
    return torch_path.GroupedQueryAttention(CONFIGS[name], rotary=None)


def tokens(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


class Nested(nn.Module):
    """A layer of each, by name, and one that runs twice."""

    def __init__(self):
        super().__init__()
        self.one = Projected()
        self.blocks = nn.ModuleList([WithSdpa(), nn.TransformerEncoderLayer(WIDTH, HEADS, 16, batch_first=True)])
        self.mlp = nn.Linear(WIDTH, WIDTH)
        self.eval()

    def forward(self, x):
        x = x + self.one(x)
        for block in self.blocks:
            x = x + block(x)
        return self.mlp(x + self.one(x))
