"""The copying task and its model: after every token, say which tokens stood 1, 2, 3 and 4 places before."""

import torch
from torch import Tensor, nn

from manyheads.studies._training import own_random_state, train

D_MODEL, VOCABULARY, LENGTH, DISTANCES = 64, 16, 12, (1, 2, 3, 4)
BATCH, FRESH, STEPS, RATE = 32, 512, 300, 2e-2

#: Base of the sinusoids: small, for there are few positions.
BASE = 30.0


class Recall(nn.Module):
    """Tokens and positions, one attention layer, and one read-out for each distance."""

    positions: Tensor

    def __init__(self, attention: nn.Module):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, D_MODEL)
        self.register_buffer("positions", sinusoids(LENGTH, D_MODEL))
        self.attention = attention
        self.unembedding = nn.Linear(D_MODEL, len(DISTANCES) * VOCABULARY, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (batch, seq, distances, vocabulary)."""
        x = self.embedding(tokens) + self.positions[: tokens.shape[1]]
        x = x + self.attention(x, causal=True)
        return self.unembedding(x).unflatten(-1, (len(DISTANCES), VOCABULARY))


def sinusoids(length: int, width: int) -> Tensor:
    """Fixed positions (length, width) as in Vaswani et al. 2017, section 3.5, with another base."""
    angles = torch.arange(length)[:, None] * BASE ** (-torch.arange(0, width, 2) / width)
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def loss_of(model: nn.Module, tokens: Tensor) -> Tensor:
    """Mean cross-entropy in nats, at the positions that have a token at every distance."""
    start = max(DISTANCES)
    logits = model(tokens)[:, start:]
    wanted = torch.stack([tokens[:, start - d : LENGTH - d] for d in DISTANCES], dim=-1)
    return nn.functional.cross_entropy(logits.flatten(0, 2), wanted.flatten())


def trained(make_attention, seed: int, training_steps: int = STEPS):
    """A trained `Recall`, the steps and losses on the way, and its loss on fresh sequences."""
    with own_random_state(seed) as data:
        model = Recall(make_attention())

        def loss(sequences: int = BATCH) -> Tensor:
            return loss_of(model, torch.randint(VOCABULARY, (sequences, LENGTH), generator=data))

        steps, losses = train(model, loss, training_steps, RATE)
        with torch.no_grad():
            fresh = loss(FRESH).item()
    return model.eval(), steps, losses, fresh
