import foreach_ops
import torch
import torch_npu

tensors = [torch.arange(n, dtype=torch.float32, device="npu") for n in (5, 64, 1000)]
foreach_ops.foreach_scale(tensors, 3.0)
for n, t in zip((5, 64, 1000), tensors):
    assert torch.equal(t.cpu(), 3 * torch.arange(n, dtype=torch.float32))
