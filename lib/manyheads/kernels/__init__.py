"""Kernels of our own: Triton and CUDA C++, how they are built and launched, and how both run without a GPU.

Importing this imports nothing heavy; torch, triton and cuda-core are imported where they are used.
"""
