"""Finding an exercise by its name. A chapter's definitions are loaded when one of them is first asked for."""

import difflib
import importlib

from manyheads.exercises.definition import Exercise

#: Chapter and assignment -> the package with its definitions.
CHAPTERS = {
    "00-one-head": "manyheads.exercises.ch00_one_head",
    "01-projections": "manyheads.exercises.ch01_projections",
    "02-heads": "manyheads.exercises.ch02_heads",
    "03-masks": "manyheads.exercises.ch03_masks",
    "04-kv-cache": "manyheads.exercises.ch04_kv_cache",
    "05-sharing-heads": "manyheads.exercises.ch05_sharing_heads",
    "06-latent": "manyheads.exercises.ch06_latent",
    "07-tiles": "manyheads.exercises.ch07_tiles",
    "08-kernels": "manyheads.exercises.ch08_kernels",
    "09-learning": "manyheads.exercises.ch09_learning",
}

#: Exercise -> chapter, in the order of the notebooks. Tests hold it to the definitions.
NAMES = {
    "softmax": "00-one-head",
    "single-head-attention": "00-one-head",
    "row-entropy": "00-one-head",
    "softmax-with-temperature": "00-one-head",
    "gradient-scale": "00-one-head",
    "per-head-projections": "01-projections",
    "fused-projection": "01-projections",
    "pack-heads": "01-projections",
    "split-qkv": "01-projections",
    "attention-parameters": "01-projections",
    "split-heads": "02-heads",
    "combine-heads": "02-heads",
    "regroup-output-weight": "02-heads",
    "bytes-copied": "02-heads",
    "multi-head-attention": "02-heads",
    "head-contributions": "02-heads",
    "without-head": "02-heads",
    "causal-mask": "03-masks",
    "padding-mask": "03-masks",
    "sliding-window-mask": "03-masks",
    "block-sparse-mask": "03-masks",
    "convert-mask": "03-masks",
    "masked-attention": "03-masks",
    "padded-batch": "03-masks",
    "used-fraction": "03-masks",
    "append-to-cache": "04-kv-cache",
    "decode-step": "04-kv-cache",
    "attend-in-chunks": "04-kv-cache",
    "kv-cache-bytes": "04-kv-cache",
    "ring-append": "04-kv-cache",
    "ring-decode": "04-kv-cache",
    "repeat-kv-heads": "05-sharing-heads",
    "multi-query-attention": "05-sharing-heads",
    "grouped-attention": "05-sharing-heads",
    "sharing-parameters": "05-sharing-heads",
    "sharing-cache": "05-sharing-heads",
    "pool-kv-weights": "05-sharing-heads",
    "rms-norm": "06-latent",
    "apply-rotary": "06-latent",
    "compress-to-latent": "06-latent",
    "latent-attention": "06-latent",
    "absorbed-latent-attention": "06-latent",
    "latent-decode-step": "06-latent",
    "latent-cache-bytes": "06-latent",
    "latent-rank": "06-latent",
    "online-softmax-step": "07-tiles",
    "merge-partial-results": "07-tiles",
    "needed-tiles": "07-tiles",
    "blocked-causal-attention": "07-tiles",
    "softmax-backward": "07-tiles",
    "attention-backward": "07-tiles",
    "grouped-attention-backward": "07-tiles",
    "central-difference": "07-tiles",
    "element-offsets": "08-kernels",
    "head-view-strides": "08-kernels",
    "launch-grid": "08-kernels",
    "thread-loads": "08-kernels",
    "tile-budget": "08-kernels",
    "cuda-head-split": "08-kernels",
    "cuda-row-softmax": "08-kernels",
    "cuda-head-attention": "08-kernels",
    "cuda-tiled-attention": "08-kernels",
    "triton-row-softmax": "08-kernels",
    "triton-attention": "08-kernels",
    "triton-causal-attention": "08-kernels",
    "triton-grouped-attention": "08-kernels",
    "copying-loss": "09-learning",
    "causal-attention-maps": "09-learning",
    "previous-token-score": "09-learning",
    "first-token-score": "09-learning",
    "induction-score": "09-learning",
    "ablate-heads": "09-learning",
    "most-needed-head": "09-learning",
    "compare-head-counts": "09-learning",
}


class UnknownName(LookupError):  # noqa: N818 - the name is what users see
    """There is no exercise, aspect or assignment of this name; the message offers the near ones."""

    exit_status = 2  #: of the command line: it was called wrongly

    def __init__(self, kind: str, name, known):
        self.kind, self.name = kind, name
        near = difflib.get_close_matches(str(name).lower().replace("_", "-"), known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
        super().__init__(f"no {kind} is called {name!r}; {hint}")


class UnknownVersion(LookupError):  # noqa: N818 - as above
    """A notebook asks for a version of an exercise that this library does not have."""

    def __init__(self, exercise: Exercise, version, known: list[int]):
        have = f"version {known[0]}" if len(known) == 1 else f"versions {', '.join(map(str, known))}"
        newer = isinstance(version, int) and version > known[-1]
        advice = "the notebook is newer than the library: install the newer one" * newer
        super().__init__(f"{exercise.name} has {have} here, got {version!r}" + f"; {advice}" * newer)


def of_chapter(chapter: str) -> tuple[Exercise, ...]:
    """A chapter's exercises, in the order of its notebook.

    Raises
    ------
    UnknownName
        If no chapter with exercises is called so.
    """
    if chapter not in CHAPTERS:
        raise UnknownName("assignment", chapter, list(CHAPTERS))
    return importlib.import_module(CHAPTERS[chapter]).EXERCISES


def get(name: str, version: int | None = None) -> Exercise:
    """The exercise of this name; by default the newest version.

    Raises
    ------
    UnknownName
        With the nearest name, if there is none.
    UnknownVersion
        If this library does not have that version of it.

    Examples
    --------
    >>> get("fused-projection").signature
    'fused_projection(x, w, n_heads)'
    >>> get("fused-projektion")
    Traceback (most recent call last):
    ...
    manyheads.exercises.registry.UnknownName: no exercise is called ...; did you mean ...
    """
    if name not in NAMES:
        raise UnknownName("exercise", name, list(NAMES))
    newest = {exercise.name: exercise for exercise in of_chapter(NAMES[name])}[name]
    versions = {exercise.version: exercise for exercise in (newest, *newest.earlier)}
    if version is None:
        return newest
    if version not in versions:
        raise UnknownVersion(newest, version, sorted(versions))
    return versions[version]


def aspect_of(exercise: Exercise, name: str):
    """An aspect by its name, or UnknownName with the near ones."""
    known = [aspect.name for aspect in exercise.aspects]
    if name not in known:
        raise UnknownName(f"aspect of {exercise.name}", name, known)
    return exercise.aspect(name)


def equivalent_mutants(exercise: Exercise) -> dict[str, str]:
    """The mutants of an exercise's right answers that do the same, and so cannot be refused -> the reason."""
    package = CHAPTERS[exercise.chapter]
    try:
        listed = importlib.import_module(f"{package}.equivalent").EQUIVALENT
    except ModuleNotFoundError:
        return {}
    newest = get(exercise.name).version if exercise.name in NAMES else exercise.version
    key = exercise.name if exercise.version == newest else f"{exercise.name}, version {exercise.version}"
    by_reason = listed.get(key, {})
    return {mutant: reason for reason, mutants in by_reason.items() for mutant in mutants}
