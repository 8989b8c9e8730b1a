"""A small compiler from PyTorch references to tile DSL: front (trace, import), middle (loop nests), back (schedules)."""
