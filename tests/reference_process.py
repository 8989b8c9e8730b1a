"""One reference process for all tests of this process that do not need one of their own: it imports PyTorch once.

It is started at its first request. Where tests run in forks of one process after another (mutation testing), the forks
share it.
"""

import atexit
from functools import cache

from akgen.tools.reference.client import ReferenceWorker


@cache
def reference_process() -> ReferenceWorker:
    worker = ReferenceWorker()
    atexit.register(worker.close)
    return worker
