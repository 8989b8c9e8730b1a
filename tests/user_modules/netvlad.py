import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, clusters, dim):
        super().__init__()
        self.conv = nn.Conv2d(dim, clusters, kernel_size=(1, 1), bias=True)
        self.centroids = nn.Parameter(torch.rand(clusters, dim))

    def forward(self, x):
        n, c = x.shape[:2]
        x = F.normalize(x, p=2, dim=1)
        soft = F.softmax(self.conv(x).view(n, self.centroids.size(0), -1), dim=1)
        x_flat = x.view(n, c, -1)
        vlad = torch.bmm(soft, x_flat.permute(0, 2, 1)) - soft.sum(-1, keepdim=True) * self.centroids[None]
        vlad = F.normalize(vlad, p=2, dim=2)
        return F.normalize(vlad.view(n, -1), p=2, dim=1)


def get_inputs():
    return [torch.randn(2, 24, 6, 5)]


def get_init_inputs():
    return [8, 24]
