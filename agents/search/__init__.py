"""The search for a faster kernel, which `akgen optimise` and `--tune` share."""
