"""Read a chain clause by clause, each with the tensors that it names."""
