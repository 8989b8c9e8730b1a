#!/usr/bin/python3
import os

import numpy as np


def gen_golden_data():
    rng = np.random.default_rng(7)
    x = rng.uniform(0.5 if False else -3, 3, (4096,)).astype(np.float32)
    y = rng.uniform(0.5 if False else -3, 3, (4096,)).astype(np.float32)
    golden = (x + y).astype(np.float32)
    os.makedirs("./input", exist_ok=True)
    os.makedirs("./output", exist_ok=True)
    x.tofile("./input/input_x.bin")
    y.tofile("./input/input_y.bin")
    golden.tofile("./output/golden.bin")


if __name__ == "__main__":
    gen_golden_data()
