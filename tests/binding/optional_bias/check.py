import axpb_ext
import torch
import torch_npu

for dtype in (torch.float32, torch.float16):
    x, b = (torch.randint(-4, 4, (128,)).to(dtype) for _ in range(2))
    assert torch.equal(axpb_ext.axpb(x.npu(), a=2.0).cpu(), 2 * x)
    assert torch.equal(axpb_ext.axpb(x.npu(), b.npu(), 2.0).cpu(), 2 * x + b)
