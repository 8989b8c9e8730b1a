import sys

import numpy as np

output = np.fromfile("./output/output_z.bin", dtype=np.int32)
golden = np.fromfile("./output/golden.bin", dtype=np.int32)
if output.size != 4096 or not np.allclose(output, golden, rtol=1e-3, atol=1e-5):
    print("[ERROR] result error")
    sys.exit(1)
print("test pass")
