"""Published models, as data with their source."""

import difflib
from dataclasses import dataclass

from manyheads.config import AttentionConfig


@dataclass(frozen=True)
class PublishedModel:
    """A model's attention, what its makers say it weighs in all, and where that is written."""

    name: str
    config: AttentionConfig
    parameters: int | None  # all of the model's, embeddings included; None where it is not published
    source: str


_GPT2 = "Radford et al. 2019; the published checkpoint's configuration"
_ANDREA = "the lesson 'Three matrices per head, or one large matrix'"

PUBLISHED = {
    model.name: model
    for model in (
        PublishedModel("gpt2-small", AttentionConfig(768, 12, n_layers=12), 124_439_808, _GPT2),
        PublishedModel("andrea-12m", AttentionConfig(384, 12), None, _ANDREA),
        PublishedModel("andrea-120m", AttentionConfig(768, 12, n_layers=12), 98_698_752, _ANDREA),
        PublishedModel("andrea-480m", AttentionConfig(1536, 24), None, _ANDREA),
    )
}


def published(name: str) -> PublishedModel:
    """The entry of one model.

    Raises
    ------
    KeyError
        For an unknown name; the message lists the near ones.

    Examples
    --------
    >>> published("gpt2-small").parameters
    124439808
    """
    if name not in PUBLISHED:
        near = difflib.get_close_matches(name.lower(), PUBLISHED, n=3, cutoff=0.4) or sorted(PUBLISHED)
        raise KeyError(f"no model is called {name!r}; near it: {', '.join(near)}")
    return PUBLISHED[name]


def get(name: str) -> AttentionConfig:
    """A model's attention, with its number of layers where that is published.

    Examples
    --------
    >>> get("andrea-120m").head_dim
    64
    >>> get("andrea-120")
    Traceback (most recent call last):
    ...
    KeyError: "no model is called 'andrea-120'; near it: andrea-120m, andrea-12m, andrea-480m"
    """
    return published(name).config
