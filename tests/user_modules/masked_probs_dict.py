import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, batch):
        scores = batch["scores"].masked_fill(batch["mask"] == 0, float("-inf"))
        probs = torch.softmax(scores, dim=-1)
        return {"probs": probs, "entropy": -(probs * torch.log(probs + 1e-9)).sum(-1)}


def get_inputs():
    lengths = torch.randint(1, 40, (8, 1))
    return [{"scores": torch.randn(8, 40), "mask": (torch.arange(40)[None, :] < lengths).int()}]


def get_init_inputs():
    return []
