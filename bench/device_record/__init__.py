"""Records of runs on a device: packed where an NPU is, read, replayed and compared with the twin anywhere."""
