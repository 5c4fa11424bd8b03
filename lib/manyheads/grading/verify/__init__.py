"""The proof that a grader is right: what must pass passes, what must fail fails, and by its own name."""

from manyheads.grading.verify.proof import SEEDS, Proof, prove

__all__ = ["SEEDS", "Proof", "prove"]
