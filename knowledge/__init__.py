"""What is known: chip facts, API cards, patterns, the error catalogue, operator names, search."""
