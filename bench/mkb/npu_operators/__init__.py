"""CPU references of the torch_npu operators that the benchmark calls, from their public documentation."""
