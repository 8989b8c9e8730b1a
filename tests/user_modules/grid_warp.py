import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Optical flow warp with a validity mask."""

    def forward(self, x, flow):
        b, _c, h, w = x.size()
        xx = torch.arange(0, w).view(1, -1).repeat(h, 1).view(1, 1, h, w).repeat(b, 1, 1, 1)
        yy = torch.arange(0, h).view(-1, 1).repeat(1, w).view(1, 1, h, w).repeat(b, 1, 1, 1)
        grid = torch.cat((xx, yy), 1).float()
        vgrid = grid + flow
        vgrid[:, 0, :, :] = 2.0 * vgrid[:, 0, :, :].clone() / max(w - 1, 1) - 1.0
        vgrid[:, 1, :, :] = 2.0 * vgrid[:, 1, :, :].clone() / max(h - 1, 1) - 1.0
        return F.grid_sample(x, vgrid.permute(0, 2, 3, 1), align_corners=True)


def get_inputs():
    return [torch.randn(1, 3, 12, 14), torch.randn(1, 2, 12, 14) * 2]


def get_init_inputs():
    return []
