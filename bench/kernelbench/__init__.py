"""KernelBench: references of its convention, read in place from the user's own checkout."""
