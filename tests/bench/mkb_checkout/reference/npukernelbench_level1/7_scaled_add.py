import json
import os
import random

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, bias, factor):
        return x * factor + bias


def get_input_groups():
    json_path = os.path.join(os.path.dirname(__file__), "7_scaled_add.json")
    with open(json_path, "r") as f:
        cases = [json.loads(line) for line in f if line.strip()]
    input_groups = []
    for case in cases:
        x, bias, factor = case["inputs"]
        dtype = getattr(torch, x["dtype"])
        shift = random.random()
        input_groups.append(
            [torch.randn(x["shape"], dtype=dtype) + shift, torch.randn(bias["shape"], dtype=dtype), factor["value"]]
        )
    return input_groups


def get_init_inputs():
    return []
