"""Marks the folder as a checkout; the tasks below are our own, in the layout of MultiKernelBench."""
