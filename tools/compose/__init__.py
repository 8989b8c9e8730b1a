"""A small compiler from PyTorch to the tile DSL: front (trace, import), middle (loop nests), back (schedules)."""
