"""The HTML page of a bench run: one file, no network."""
