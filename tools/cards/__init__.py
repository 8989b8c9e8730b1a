"""The snippets of API cards as programs that the twin builds and runs."""
