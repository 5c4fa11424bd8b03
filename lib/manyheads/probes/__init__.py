"""What heads do in any torch model: their maps, scores that name them, and what the model loses without them.

Importing this loads NumPy alone; what looks into a model needs torch.
"""

from manyheads.probes.ablating import ablated, ablation
from manyheads.probes.head_scores import HeadScores, head_scores, table
from manyheads.probes.maps import attention_maps
from manyheads.probes.scores import first_token_score, induction_score, previous_token_score

__all__ = [
    "HeadScores",
    "ablated",
    "ablation",
    "attention_maps",
    "first_token_score",
    "head_scores",
    "induction_score",
    "previous_token_score",
    "table",
]
