"""From PyTorch to a graph of few operators: trace, then import each ATen call."""
