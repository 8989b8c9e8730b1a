"""A user's own PyTorch binding (pybind.cpp with EXEC_NPU_CMD), compiled for the CPU and brought to a toolchain."""
