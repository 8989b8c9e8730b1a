"""The cube tests run their kernels like the tests of the device: one input, one output."""

from tests.twin.device.conftest import numbers, probe, runtime

__all__ = ["numbers", "probe", "runtime"]
