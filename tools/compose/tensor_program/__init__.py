"""Tensor programs: what an operator computes, a line for each operation; the composer adds every schedule."""
