import torch
from framework.utils import check_precision


def get_inputs(param, device=None):
    shape = eval(param.get("shape", "[1]"))
    dtype = getattr(torch, param.get("dtype", "float16"))
    x = torch.randn(shape, device=device, dtype=dtype)
    y = torch.randn(shape, device=device, dtype=dtype)
    return x, y, torch.tensor(param["weight"], device=device), param["shift"]


def get_init_inputs(param, device=None):
    return []


def custom_check_precision(param, outputs, outputs_new):
    return check_precision(outputs, outputs_new, max_abs_error=0.01, max_rel_error=0.01)
