"""MultiKernelBench: references read in place from the user's own checkout."""
