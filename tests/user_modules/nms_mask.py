"""Which box suppresses which: IoU above a threshold and a higher score."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, boxes, scores):
        x1, y1, x2, y2 = boxes.unbind(-1)
        area = (x2 - x1) * (y2 - y1)
        w = (torch.minimum(x2[:, None], x2[None]) - torch.maximum(x1[:, None], x1[None])).clamp(min=0)
        h = (torch.minimum(y2[:, None], y2[None]) - torch.maximum(y1[:, None], y1[None])).clamp(min=0)
        inter = w * h
        iou = inter / (area[:, None] + area[None] - inter)
        return (iou > self.threshold) & (scores[:, None] > scores[None])


def get_inputs():
    corner = torch.rand(40, 2)
    return [torch.cat((corner, corner + torch.rand(40, 2)), dim=-1), torch.rand(40)]


def get_init_inputs():
    return [0.5]
