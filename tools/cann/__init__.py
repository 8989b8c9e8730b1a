"""CANN and an NPU behind the same interface as the twin."""
