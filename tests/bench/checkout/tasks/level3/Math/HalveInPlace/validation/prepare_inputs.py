import torch


def get_inputs(param, device=None):
    shape = eval(param["shape"])
    return torch.rand(shape) + 0.5, (torch.rand(shape) > 0.5).float(), param["times"]


def get_init_inputs(param, device=None):
    return []
