"""What each pair of kernels computes; the last input is split by rows. `params["name"]` chooses."""

import torch

ROWS, COLS = 128, 64


def numbers(*shape):
    return torch.randn(shape)


def whole(low, high, *shape):
    return torch.randint(low, high, shape, dtype=torch.int32)


def wide():
    return numbers(ROWS, COLS)


TASKS = {
    "add": (lambda a, b: a + b, lambda: [wide(), wide()]),
    "scale_half": (lambda x: x * 0.5 + 1, lambda: [wide().half()]),
    "row_sum": (lambda x: x.sum(1), lambda: [wide()]),
    "row_max": (lambda x: x.amax(1), lambda: [wide()]),
    "softmax": (lambda x: torch.softmax(x, 1), lambda: [wide()]),
    "layer_norm": (lambda x: torch.nn.functional.layer_norm(x, (COLS,)), lambda: [wide()]),
    "rms_norm": (
        lambda w, x: x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-6) * w,
        lambda: [numbers(COLS), wide()],
    ),
    "transpose": (lambda x: x.t().contiguous(), lambda: [wide()]),
    "gather": (lambda t, i: t[i.long()], lambda: [numbers(256), whole(0, 256, ROWS, COLS)]),
    "cumsum": (lambda x: torch.cumsum(x, 1), lambda: [wide()]),
    "argmax": (lambda x: torch.argmax(x, 1).int(), lambda: [wide()]),
    "select": (lambda a, b: torch.where(a > b, a, 2 * b), lambda: [wide(), wide()]),
    "to_half": (lambda x: x.half(), lambda: [wide()]),
    "every_second": (lambda x: x[:, ::2].contiguous(), lambda: [wide()]),
    "average_pool": (lambda x: (x[:, ::2] + x[:, 1::2]) * 0.5, lambda: [wide()]),
    "histogram": (
        lambda x: torch.stack([(x == k).sum(1) for k in range(8)], 1).int(),
        lambda: [whole(0, 8, ROWS, COLS)],
    ),
    "matmul": (lambda w, x: x @ w, lambda: [numbers(32, 32), numbers(ROWS, 32)]),
    "bias": (lambda b, x: x + b, lambda: [numbers(COLS), wide()]),
    "clamp_int": (lambda x: x.clamp(-10, 10), lambda: [whole(-40, 40, ROWS, COLS)]),
    "row_dot": (lambda a, b: (a * b).sum(1), lambda: [wide(), wide()]),
}


class Model(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.function = TASKS[name][0]

    def forward(self, *args):
        return self.function(*args)


def get_init_inputs(params):
    return [params["name"]]


def get_inputs(params):
    return TASKS[params["name"]][1]()
