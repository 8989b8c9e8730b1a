"""A small compiler from a PyTorch reference to tile DSL: front (trace, import), middle (loop nests), back (schedules)."""
