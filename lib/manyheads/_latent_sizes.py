"""The widths of a latent attention layer, read from its weights. For NumPy and torch."""

from typing import NamedTuple

from manyheads import _require


class LatentSizes(NamedTuple):
    """All that `mla` is not told is told by its weights."""

    n_heads: int
    head_dim: int
    rope_head_dim: int
    v_head_dim: int
    latent_rank: int

    @classmethod
    def of(cls, w_q, w_down, norm, w_up, w_o, n_heads: int, kind: str) -> "LatentSizes":
        """Read them, and refuse weights that do not fit each other."""
        n_heads = _require.count("n_heads", n_heads)
        (rank,) = _require.axes("norm", norm, "latent_rank", kind=kind)
        _require.count("latent_rank", rank)
        _require.floats(w_down=w_down, norm=norm)
        _require.same("latent_rank of norm", rank, "rows of w_up", w_up.shape[0])
        rope = w_down.shape[1] - rank
        if rope < 0:
            raise ValueError(f"w_down has {w_down.shape[1]} columns, fewer than latent_rank={rank} of norm")
        q_dim = _require.divides("n_heads", n_heads, "columns of w_q", w_q.shape[1])
        v_dim = _require.divides("n_heads", n_heads, "rows of w_o", w_o.shape[0])
        head_dim = q_dim - rope
        if head_dim < 1:
            raise ValueError(
                f"a head of w_q is {q_dim} wide, and w_down's rotary part takes {rope} of it; at least 1 must be left"
            )
        if (columns := n_heads * (head_dim + v_dim)) != w_up.shape[1]:
            raise ValueError(
                f"w_up must have n_heads * (head_dim + v_head_dim) = {n_heads} * ({head_dim} + {v_dim}) = {columns} "
                f"columns, got {w_up.shape[1]}; a head of w_q less w_down's {rope} rotary columns is head_dim, a head "
                "of w_o v_head_dim"
            )
        return cls(n_heads, head_dim, rope, v_dim, rank)

    def check_context(self, context) -> None:
        """Another sequence has no positions in common with this one."""
        if context is not None and self.rope_head_dim:
            raise ValueError(
                f"with context there is no rotary part: w_down must have latent_rank={self.latent_rank} columns, "
                f"got {self.latent_rank + self.rope_head_dim}"
            )
