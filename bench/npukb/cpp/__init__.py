"""Read and run the small C++ in which the benchmark describes operators and binds them to PyTorch.

It covers what op_host registration and pybind files use: declarations, control flow, containers, tensor allocation.
It is no compiler: whatever it does not know is refused with the line, never guessed.
"""
