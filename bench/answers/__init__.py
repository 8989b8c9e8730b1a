"""Answers of models in the formats that benchmarks ask them for, read as text and never executed here."""
