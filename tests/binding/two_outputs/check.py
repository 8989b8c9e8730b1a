import torch
import torch_npu

torch.ops.load_library("libextremes.so")
x = torch.randn(64, 5).npu()
low, high = torch.ops.extremes.row_extremes(x.t())
assert torch.equal(low.cpu(), x.cpu().t().amin(1))
assert torch.equal(high.cpu(), x.cpu().t().amax(1))
