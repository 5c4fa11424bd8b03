"""Small trainings that show what heads are for, each the same from its seed.

Importing this loads NumPy alone; a study itself needs torch.
"""

from manyheads.studies.availability import wanted
from manyheads.studies.copying import CopyingRun, copying, copying_run
from manyheads.studies.induction import InductionStudy, induction
from manyheads.studies.latent_rank import LatentRankStudy, latent_rank

__all__ = [
    "CopyingRun",
    "InductionStudy",
    "LatentRankStudy",
    "copying",
    "copying_run",
    "induction",
    "latent_rank",
    "wanted",
]
