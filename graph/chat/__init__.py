"""The conversation: its graph, its commands, its screens and its record."""
