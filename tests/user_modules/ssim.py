from math import exp

import torch
import torch.nn as nn
import torch.nn.functional as F


def gaussian(window_size, sigma):
    gauss = torch.Tensor(
        [exp(-((x - window_size // 2) ** 2) / float(2 * sigma**2)) for x in range(window_size)]
    )
    return gauss / gauss.sum()


def create_window(window_size, channel):
    w1 = gaussian(window_size, 1.5).unsqueeze(1)
    w2 = w1.mm(w1.t()).float().unsqueeze(0).unsqueeze(0)
    return w2.expand(channel, 1, window_size, window_size).contiguous()


class Model(nn.Module):
    def __init__(self, window_size, channel):
        super().__init__()
        self.window_size, self.channel = window_size, channel
        self.window = create_window(window_size, channel)

    def forward(self, img1, img2):
        pad = self.window_size // 2

        def conv(t):
            return F.conv2d(t, self.window, padding=pad, groups=self.channel)

        mu1, mu2 = conv(img1), conv(img2)
        mu1_sq, mu2_sq, mu1_mu2 = mu1.pow(2), mu2.pow(2), mu1 * mu2
        s1 = conv(img1 * img1) - mu1_sq
        s2 = conv(img2 * img2) - mu2_sq
        s12 = conv(img1 * img2) - mu1_mu2
        c1, c2 = 0.01**2, 0.03**2
        ssim_map = ((2 * mu1_mu2 + c1) * (2 * s12 + c2)) / ((mu1_sq + mu2_sq + c1) * (s1 + s2 + c2))
        return ssim_map.mean()


def get_inputs():
    return [torch.rand(1, 3, 24, 20), torch.rand(1, 3, 24, 20)]


def get_init_inputs():
    return [11, 3]
