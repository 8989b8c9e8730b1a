"""AKGen: from an operator task to a verified, profiled Ascend C kernel."""

__version__ = "0.1.0"
