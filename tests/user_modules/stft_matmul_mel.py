import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Magnitude by two convolutions with a DFT basis, mel matrix, log10, Whisper's clamp."""

    def __init__(self, n_fft, hop, n_mels):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        n = torch.arange(n_fft).float()
        k = torch.arange(n_fft // 2 + 1).float()
        angle = 2 * math.pi * k[:, None] * n[None, :] / n_fft
        win = torch.hann_window(n_fft)
        self.register_buffer("real", (torch.cos(angle) * win).unsqueeze(1))
        self.register_buffer("imag", (-torch.sin(angle) * win).unsqueeze(1))
        self.mel = nn.Parameter(torch.rand(n_mels, n_fft // 2 + 1), requires_grad=False)

    def forward(self, audio):
        x = F.pad(audio.unsqueeze(1), (self.n_fft // 2, self.n_fft // 2), mode="reflect")
        re = F.conv1d(x, self.real, stride=self.hop)
        im = F.conv1d(x, self.imag, stride=self.hop)
        mag = re**2 + im**2
        mel = self.mel @ mag
        log_spec = torch.clamp(mel, min=1e-10).log10()
        log_spec = torch.maximum(log_spec, log_spec.max() - 8.0)
        return (log_spec + 4.0) / 4.0


def get_inputs():
    return [torch.randn(2, 640)]


def get_init_inputs():
    return [64, 16, 20]
