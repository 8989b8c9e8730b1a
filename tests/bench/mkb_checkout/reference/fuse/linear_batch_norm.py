import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_features, out_features, groups):
        super(Model, self).__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.norm = nn.BatchNorm1d(out_features)
        self.drop = nn.Dropout(0.5)
        self.groups = groups

    def forward(self, x):
        return self.drop(self.norm(self.gemm(x))).reshape(x.shape[0], self.groups, -1)


batch_size = 1024 * 4
in_features = 8192
out_features = 8192
groups = 512


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, groups]
