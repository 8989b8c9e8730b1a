"""AKGen: from an operator task to a verified, profiled Ascend C kernel."""

import atexit
import gc

__version__ = "0.1.0"

# Objects between collections. What importing PyTorch and pydantic makes is kept, and looking at it time and again takes
# a sixth of a process's time.
gc.set_threshold(50_000, 20, 20)
# A process that ends need not look for cycles among all that it has imported: a second of processor time with PyTorch
# or LangGraph. Registered first, so called last.
atexit.register(gc.freeze)
