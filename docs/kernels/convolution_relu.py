"""A convolution of 3 x 3 with a bias, then ReLU."""

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.relu(torch.nn.functional.conv2d(x, weight, bias, padding=1))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(2, 16, 32, 32).half(), torch.randn(32, 16, 3, 3).half() / 12, torch.randn(32).half()]


def get_init_inputs() -> list[object]:
    return []
