"""The model-free planner and coder: a small compiler from a PyTorch reference to tile DSL."""
