"""Published models, as data with their source."""

import difflib
from dataclasses import dataclass

from manyheads.config import AttentionConfig


@dataclass(frozen=True)
class PublishedModel:
    """A model's attention, what its makers say it weighs in all, and where that is written.

    Parameters
    ----------
    name : str
        Lower case, as `get` takes it.
    config : AttentionConfig
        One layer's attention, and the number of such layers. `head_dim` is as published: it need not be
        ``d_model / n_heads``.
    parameters : int or None
        All of the model's weights, embeddings included; None where they are not published.
    source : str
        The paper, and the published configuration by the name of its repository.
    rounded_to : int
        The step to which `parameters` is rounded: 1 is exact (the paper's own sum, or the elements of the
        published checkpoint, a shared matrix counted once), ``10**9`` is "7B" as in a title.
    note : str
        What the numbers do not say.

    Examples
    --------
    >>> model = published("palm-540b")
    >>> model.config.n_heads * model.config.head_dim, model.config.d_model
    (12288, 18432)
    >>> f"{model.parameters / 1e9:.2f} ± {model.rounded_to / 2e9} billion"
    '540.35 ± 0.005 billion'
    """

    name: str
    config: AttentionConfig
    parameters: int | None
    source: str
    rounded_to: int = 1
    note: str = ""


_ANDREA = "the lesson 'Three matrices per head, or one large matrix'"
_FALCON = "Almazrouei et al. 2023, The Falcon Series"
_LLAMA_3 = "Llama Team 2024, The Llama 3 Herd of Models"
_PYTHIA = "Biderman et al. 2023, Pythia"
_LATENT = {"head_dim": 128, "v_head_dim": 128, "latent_rank": 512, "rope_head_dim": 64}
_QUERY = (
    "Its queries are projected through a normalised rank of 1,536 of their own, which AttentionConfig does not "
    "know: W_Q is counted as one full matrix, and is smaller in the model. The cache is not concerned."
)
_LAYERS = "The number of layers is not published: one is counted."

# config: d_model, n_heads, n_kv_heads where they are fewer, then by name
_MODELS = (
    PublishedModel(
        "gpt2-small",
        AttentionConfig(768, 12, head_dim=64, n_layers=12),
        124_439_808,
        "Radford et al. 2019, GPT-2; openai-community/gpt2 config.json",
    ),
    PublishedModel(
        "bert-base",
        AttentionConfig(768, 12, head_dim=64, n_layers=12),
        109_482_240,
        "Devlin et al. 2019, BERT; google-bert/bert-base-uncased config.json",
        note="Uncased, with the pooler, without the language-model head; the paper says 110M. An encoder: it has "
        "no use for a KV cache.",
    ),
    PublishedModel(
        "t5-11b",
        AttentionConfig(1024, 128, head_dim=128, n_layers=24),
        11_307_321_344,
        "Raffel et al. 2020, T5; google-t5/t5-11b config.json",
        note="n_layers counts the decoder's self-attention. The encoder has 24 more layers, and the decoder 24 "
        "cross-attentions, whose cache is as long as the input: 72 attentions of this shape.",
    ),
    PublishedModel(
        "palm-540b",
        AttentionConfig(18432, 48, 1, head_dim=256, n_layers=118),
        540_350_000_000,
        "Chowdhery et al. 2022, PaLM, table 1 and section 2",
        rounded_to=10**7,
    ),
    PublishedModel(
        "llama-2-7b",
        AttentionConfig(4096, 32, head_dim=128, n_layers=32),
        6_738_415_616,
        "Touvron et al. 2023, Llama 2; meta-llama/Llama-2-7b-hf config.json",
    ),
    PublishedModel(
        "llama-2-13b",
        AttentionConfig(5120, 40, head_dim=128, n_layers=40),
        13_015_864_320,
        "Touvron et al. 2023, Llama 2; meta-llama/Llama-2-13b-hf config.json",
    ),
    PublishedModel(
        "llama-2-70b",
        AttentionConfig(8192, 64, 8, head_dim=128, n_layers=80),
        68_976_648_192,
        "Touvron et al. 2023, Llama 2; meta-llama/Llama-2-70b-hf config.json",
    ),
    PublishedModel(
        "llama-3-8b",
        AttentionConfig(4096, 32, 8, head_dim=128, n_layers=32),
        8_030_261_248,
        f"{_LLAMA_3}; meta-llama/Meta-Llama-3-8B config.json",
    ),
    PublishedModel(
        "llama-3-70b",
        AttentionConfig(8192, 64, 8, head_dim=128, n_layers=80),
        70_553_706_496,
        f"{_LLAMA_3}; meta-llama/Meta-Llama-3-70B config.json",
    ),
    PublishedModel(
        "llama-3.1-405b",
        AttentionConfig(16384, 128, 8, head_dim=128, n_layers=126),
        405_853_388_800,
        f"{_LLAMA_3}; meta-llama/Llama-3.1-405B config.json",
    ),
    PublishedModel(
        "llama-3.2-1b",
        AttentionConfig(2048, 32, 8, head_dim=64, n_layers=16),
        1_235_814_400,
        "meta-llama/Llama-3.2-1B config.json",
    ),
    PublishedModel(
        "mistral-7b-v0.1",
        AttentionConfig(4096, 32, 8, head_dim=128, n_layers=32, window=4096),
        7_241_732_096,
        "Jiang et al. 2023, Mistral 7B; mistralai/Mistral-7B-v0.1 config.json",
        note="The window counts the token itself. v0.3 has none.",
    ),
    PublishedModel(
        "falcon-7b",
        AttentionConfig(4544, 71, 1, head_dim=64, n_layers=32),
        7_000_000_000,
        f"{_FALCON}; tiiuae/falcon-7b config.json",
        rounded_to=10**9,
        # transformers does not read num_kv_heads where multi_query is true and new_decoder_architecture false,
        # as here. The weights agree: query_key_value is 4544 -> 4672 = (71 + 1 + 1) * 64.
        note="The published configuration says num_kv_heads=71 beside multi_query=true. The model has one K/V "
        "head; reading the other field overstates its cache 71 times.",
    ),
    PublishedModel(
        "falcon-40b",
        AttentionConfig(8192, 128, 8, head_dim=64, n_layers=60),
        40_000_000_000,
        f"{_FALCON}; tiiuae/falcon-40b config.json",
        rounded_to=10**10,
    ),
    PublishedModel(
        "falcon-180b",
        AttentionConfig(14848, 232, 8, head_dim=64, n_layers=80),
        180_000_000_000,
        f"{_FALCON}; tiiuae/falcon-180B config.json",
        rounded_to=10**10,
    ),
    PublishedModel(
        "pythia-1b",
        AttentionConfig(2048, 8, head_dim=256, n_layers=16),
        1_011_781_632,
        f"{_PYTHIA}; EleutherAI/pythia-1b config.json",
    ),
    PublishedModel(
        "pythia-1.4b",
        AttentionConfig(2048, 16, head_dim=128, n_layers=24),
        1_414_647_808,
        f"{_PYTHIA}; EleutherAI/pythia-1.4b config.json",
    ),
    PublishedModel(
        "olmo-1b",
        AttentionConfig(2048, 16, head_dim=128, n_layers=16),
        1_176_764_416,
        "Groeneveld et al. 2024, OLMo; allenai/OLMo-1B config.json",
    ),
    PublishedModel(
        "gemma-7b",
        AttentionConfig(3072, 16, head_dim=256, n_layers=28),
        8_538_074_112,
        "Gemma Team 2024, Gemma, tables 1 and 2; google/gemma-7b config.json",
        note="786,825,216 in the embedding, which is also the output, and 7,751,248,896 elsewhere: 8.5 billion, "
        "whatever the name says. The published checkpoint drops 128 of the 256,128 rows of the embedding.",
    ),
    PublishedModel(
        "qwen3-4b",
        AttentionConfig(2560, 32, 8, head_dim=128, n_layers=36),
        4_022_468_096,
        "Qwen Team 2025, Qwen3; Qwen/Qwen3-4B config.json",
    ),
    PublishedModel(
        "deepseek-v2",
        AttentionConfig(5120, 128, n_layers=60, **_LATENT),
        236_000_000_000,
        "DeepSeek-AI 2024, DeepSeek-V2, section 3.1.2; deepseek-ai/DeepSeek-V2 config.json",
        rounded_to=10**9,
        note=f"{_QUERY} All experts are counted; 21 billion parameters work on a token.",
    ),
    PublishedModel(
        "deepseek-v2-lite",
        AttentionConfig(2048, 16, n_layers=27, **_LATENT),
        15_700_000_000,
        "DeepSeek-AI 2024, DeepSeek-V2, appendix B; deepseek-ai/DeepSeek-V2-Lite config.json",
        rounded_to=10**8,
        note="All experts are counted; 2.4 billion parameters work on a token.",
    ),
    PublishedModel(
        "deepseek-v3",
        AttentionConfig(7168, 128, n_layers=61, **_LATENT),
        671_000_000_000,
        "DeepSeek-AI 2024, DeepSeek-V3, section 4.2; deepseek-ai/DeepSeek-V3 config.json",
        rounded_to=10**9,
        note=f"{_QUERY} All experts are counted, the module that predicts a second token is not; 37 billion "
        "parameters work on a token.",
    ),
    PublishedModel("andrea-12m", AttentionConfig(384, 12, head_dim=32), None, _ANDREA, note=_LAYERS),
    PublishedModel("andrea-120m", AttentionConfig(768, 12, head_dim=64, n_layers=12), 98_698_752, _ANDREA),
    PublishedModel("andrea-480m", AttentionConfig(1536, 24, head_dim=64), None, _ANDREA, note=_LAYERS),
)
PUBLISHED = {model.name: model for model in _MODELS}


def published(name: str) -> PublishedModel:
    """The entry of one model.

    Parameters
    ----------
    name : str
        In upper or lower case.

    Returns
    -------
    PublishedModel

    Raises
    ------
    TypeError, KeyError
        If `name` is not text, or no model's; the message lists the near ones.

    Examples
    --------
    >>> published("gpt2-small").parameters
    124439808
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be text such as 'llama-3-70b', got {name!r}")
    wanted = name.lower()
    if wanted not in PUBLISHED:
        near = [known for known in PUBLISHED if wanted in known]
        near = near or difflib.get_close_matches(wanted, PUBLISHED, n=3, cutoff=0.4) or sorted(PUBLISHED)
        raise KeyError(f"no model is called {name!r}; near it: {', '.join(near)}")
    return PUBLISHED[wanted]


def get(name: str) -> AttentionConfig:
    """A model's attention, with its number of layers where that is published.

    Parameters
    ----------
    name : str
        In upper or lower case; `PUBLISHED` has them all.

    Returns
    -------
    AttentionConfig

    Raises
    ------
    TypeError, KeyError
        If `name` is not text, or no model's; the message lists the near ones.

    Examples
    --------
    >>> get("llama-3-70b").variant, get("llama-3-70b").group
    ('GQA', 8)
    >>> get("llama-3")
    Traceback (most recent call last):
    ...
    KeyError: "no model is called 'llama-3'; near it: llama-3-8b, llama-3-70b, llama-3.1-405b, llama-3.2-1b"
    """
    return published(name).config
