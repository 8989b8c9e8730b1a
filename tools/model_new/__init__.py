"""Answers that are a class of PyTorch with kernels of its own (`ModelNew`), judged as any project is."""
