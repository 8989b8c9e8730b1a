import torch


def get_inputs(param, device=None):
    x = [torch.rand(s, device=device) for s in eval(param["shapes"])]
    return x, torch.tensor(eval(param["factors"]))


def get_init_inputs(param, device=None):
    return []
