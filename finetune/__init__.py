"""Getting better: training data from recorded runs."""
