#!/usr/bin/python3
import os

import numpy as np


def gen_golden_data():
    rng = np.random.default_rng(11)
    x = rng.uniform(0.5 if False else -3, 3, (4096,)).astype(np.float32)
    golden = (np.where(x > 0, x, x * np.float32(0.25))).astype(np.float32)
    os.makedirs("./input", exist_ok=True)
    os.makedirs("./output", exist_ok=True)
    x.tofile("./input/input_x.bin")
    golden.tofile("./output/golden.bin")


if __name__ == "__main__":
    gen_golden_data()
