"""What a count is asked about: one kind of layer, or all the kinds that a model has."""

from collections.abc import Sequence

from manyheads.config import AttentionConfig

# A model with sliding-window layers beside full ones is two configs, each with its own n_layers.
Layers = AttentionConfig | Sequence[AttentionConfig]


def all_kinds(config: Layers) -> tuple[AttentionConfig, ...]:
    """The kinds of layers, whether there is one or more."""
    kinds = (config,) if isinstance(config, AttentionConfig) else config
    if not isinstance(kinds, Sequence) or not all(isinstance(kind, AttentionConfig) for kind in kinds):
        raise TypeError(f"config must be an AttentionConfig or a list of them, got {_told(config)}")
    if not kinds:
        raise ValueError("config must have at least one AttentionConfig, got an empty list")
    return tuple(kinds)


def one_kind(config: AttentionConfig) -> AttentionConfig:
    """A single kind of layer, for what is counted by the layer."""
    if not isinstance(config, AttentionConfig):
        raise TypeError(f"config must be an AttentionConfig, got {_told(config)}; this counts one layer")
    return config


def _told(config) -> str:
    if isinstance(config, str):
        return f"{config!r}; models.get(name) gives a published model's"
    if isinstance(config, list | tuple):
        return f"a {type(config).__name__} with " + (", ".join(sorted({type(c).__name__ for c in config})) or "nothing")
    return type(config).__name__
