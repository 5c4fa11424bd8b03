"""The benchmark for a machine with an NVIDIA GPU: `make gpu` runs it after the tests that need one."""
