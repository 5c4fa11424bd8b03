"""The induction task and its model: sequences that repeat themselves, and two layers of nothing but attention."""

import torch
from torch import Tensor, nn

from manyheads.config import AttentionConfig
from manyheads.probes import ablated
from manyheads.studies._training import own_random_state, train
from manyheads.torch_path import MultiHeadAttention

D_MODEL, N_LAYERS, N_HEADS, VOCABULARY, HALF = 64, 2, 2, 32, 16
BATCH, FRESH, STEPS, RATE = 32, 64, 300, 1e-2

#: Repeats begin anywhere from here to `HALF`, so that no fixed distance solves the task.
SHORTEST = 6


class TwoLayers(nn.Module):
    """Embedding, two attention layers with rotary positions on a residual stream, unembedding."""

    def __init__(self):
        super().__init__()
        config = AttentionConfig(D_MODEL, N_HEADS)
        self.embedding = nn.Embedding(VOCABULARY, D_MODEL)
        layers = [MultiHeadAttention(config, rotary="halves", rotary_base=30.0) for _ in range(N_LAYERS)]
        self.layers = nn.ModuleList(layers)
        self.unembedding = nn.Linear(D_MODEL, VOCABULARY, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (batch, seq, vocabulary)."""
        x = self.embedding(tokens)
        for layer in self.layers:
            x = x + layer(x, causal=True)
        return self.unembedding(x)

    @torch.no_grad()
    def maps(self, tokens: Tensor) -> Tensor:
        """Weights (layers, batch, heads, seq, seq)."""
        x, found = self.embedding(tokens), []
        for layer in self.layers:
            out, weights = layer(x, causal=True, return_weights=True)
            x = x + out
            found.append(weights)
        return torch.stack(found)


def repeating(sequences: int, periods: Tensor, data: torch.Generator) -> Tensor:
    """Tokens (sequences, 2 * HALF): a block of different tokens, over and over, each sequence with its period."""
    block = torch.rand(sequences, VOCABULARY, generator=data).argsort(dim=1)
    return block.gather(1, torch.arange(2 * HALF) % periods[:, None])


def trained(seed: int):
    """A trained model, its steps and losses, fresh tokens whose halves are equal, and their maps before training."""
    with own_random_state(seed) as data:
        model = TwoLayers()
        test = repeating(FRESH, torch.full((FRESH,), HALF), data)
        untrained = model.maps(test)

        def loss() -> Tensor:
            periods = torch.randint(SHORTEST, HALF + 1, (BATCH,), generator=data)
            tokens = repeating(BATCH, periods, data)
            known = torch.arange(2 * HALF - 1) >= periods[:, None]  # what comes next has been seen
            return nn.functional.cross_entropy(model(tokens[:, :-1])[known], tokens[:, 1:][known])

        steps, losses = train(model, loss, STEPS, RATE)
    return model.eval(), steps, losses, test, untrained


@torch.no_grad()
def loss_without(model: nn.Module, tokens: Tensor, layer: int, head: int) -> float:
    """Loss in nats on the repeated half, with this head's result replaced by 0; layer -1: nothing replaced."""
    with ablated(model, {f"layers.{layer}": [head]} if layer >= 0 else {}):
        logits = model(tokens[:, :-1])[:, HALF:]
    return nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, HALF + 1 :].flatten()).item()
