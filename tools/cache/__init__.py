"""Folders of made things by content key, and what keeps them below a size."""
