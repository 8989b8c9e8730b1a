#!/usr/bin/python3
import os

import numpy as np


def gen_golden_data():
    rng = np.random.default_rng(9)
    x = rng.integers(-1000, 1000, (4096,), dtype=np.int32)
    y = rng.integers(-1000, 1000, (4096,), dtype=np.int32)
    golden = (x * y).astype(np.int32)
    os.makedirs("./input", exist_ok=True)
    os.makedirs("./output", exist_ok=True)
    x.tofile("./input/input_x.bin")
    y.tofile("./input/input_y.bin")
    golden.tofile("./output/golden.bin")


if __name__ == "__main__":
    gen_golden_data()
