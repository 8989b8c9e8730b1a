"""Read a text that lays an operator out: its tensors with shapes and types, statements, what is returned."""
