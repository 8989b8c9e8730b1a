import torch


def get_inputs(param, device=None):
    shape = eval(param["input_shape"])
    dtype = getattr(torch, param["dtype"])
    x = torch.randn(shape, dtype=dtype, device=device)
    bias = torch.randn(shape[-1:], dtype=dtype, device=device) if param.get("bias", "none") == "present" else None
    return x, bias


def get_init_inputs(param, device=None):
    shape = eval(param["input_shape"])
    return [torch.rand(shape[-1:], dtype=getattr(torch, param["dtype"]), device=device), param["keep"]]
