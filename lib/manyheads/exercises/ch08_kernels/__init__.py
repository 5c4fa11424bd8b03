"""Chapter 08, kernels: the exercises in the order of the notebooks."""

from manyheads.exercises.ch08_kernels import (
    cuda_head_attention,
    cuda_head_split,
    cuda_row_softmax,
    cuda_tiled_attention,
    element_offsets,
    head_view_strides,
    launch_grid,
    thread_loads,
    tile_budget,
    triton_attention,
    triton_causal_attention,
    triton_grouped_attention,
    triton_row_softmax,
)

EXERCISES = (
    element_offsets.EXERCISE,
    head_view_strides.EXERCISE,
    launch_grid.EXERCISE,
    thread_loads.EXERCISE,
    tile_budget.EXERCISE,
    cuda_head_split.EXERCISE,
    cuda_row_softmax.EXERCISE,
    cuda_head_attention.EXERCISE,
    cuda_tiled_attention.EXERCISE,
    triton_row_softmax.EXERCISE,
    triton_attention.EXERCISE,
    triton_causal_attention.EXERCISE,
    triton_grouped_attention.EXERCISE,
)
