"""Operators without end: PyTorch references drawn from a grammar, each sure to be finite and to compute something."""
