"""What the attention layers share."""

import torch
from torch import nn

from manyheads.config import AttentionConfig
from manyheads.reference.cache import check_config


class AttentionLayer(nn.Module):
    """What the three layers share."""

    def __init__(self, config: AttentionConfig, variants: tuple[str, ...]):
        super().__init__()
        check_config(config)
        if config.variant not in variants:
            mla = config.variant == "MLA"
            raise ValueError(
                f"{type(self).__name__} is for {', '.join(variants)}, and this config is {config.variant}: "
                f"use {'LatentAttention' if mla else 'GroupedQueryAttention'}"
            )
        self.config = config

    def _new(self, *shape: int, device, dtype) -> nn.Parameter:
        return nn.Parameter(torch.empty(shape, device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Matrices from Xavier's uniform distribution (Glorot and Bengio 2010), biases 0, norms 1."""
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.constant_(parameter, float(name == "norm"))

    def _windowed(self, cache, options: dict) -> dict:
        """The config's window, where the layer is causal and nobody has said otherwise."""
        if cache is None and options.get("causal"):
            options.setdefault("window", self.config.window)
        return options

    def extra_repr(self) -> str:
        c = self.config
        return f"{c.variant}, d_model={c.d_model}, n_heads={c.n_heads}, n_kv_heads={c.n_kv_heads}"
