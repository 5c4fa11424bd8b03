"""`make gpu`: every test that needs an NVIDIA GPU, then the benchmark. Run as ``python -m tests.gpu``."""
