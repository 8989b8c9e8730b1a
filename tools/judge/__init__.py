"""The judge: hidden inputs in, raw files out, and a verdict that the candidate cannot reach."""
