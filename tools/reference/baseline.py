"""Time PyTorch's own operators on one thread: what the twin's speed is measured against.

One JSON line per request on stdin, {"op": NAME, "shape": [rows, columns]}, and the processor seconds of one call on
stdout. The first request for a shape makes one more call, to warm up. Started as
`python -m akgen.tools.reference.baseline`.
"""

import json
import sys
import time
from collections.abc import Callable

import torch

EPSILON = 1e-6


def softmax(rows: int, columns: int) -> Callable[[], torch.Tensor]:
    x = torch.randn(rows, columns)
    return lambda: torch.softmax(x, dim=-1)


def rms_norm(rows: int, columns: int) -> Callable[[], torch.Tensor]:
    x, weight = torch.randn(rows, columns), torch.randn(columns)
    return lambda: torch.nn.functional.rms_norm(x, (columns,), weight, EPSILON)


OPERATORS = {"softmax": softmax, "rms_norm": rms_norm}


def main() -> None:
    torch.set_num_threads(1)
    made: dict[str, Callable[[], torch.Tensor]] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if line not in made:
            made[line] = OPERATORS[request["op"]](*request["shape"])
            made[line]()
        started = time.process_time()
        made[line]()
        print(json.dumps({"seconds": time.process_time() - started}), flush=True)


if __name__ == "__main__":
    main()
