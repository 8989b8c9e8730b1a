import scale_lib_npu
import torch
import torch_npu

x, z = (torch.randn(33, 7).npu() for _ in range(2))
y = torch.ops.scale_lib.scale_add(x, z, alpha=0.5)
assert torch.equal(y.cpu(), x.cpu() + 0.5 * z.cpu())
assert torch.ops.scale_lib.scale_add(x.to("meta"), z.to("meta")).shape == x.shape
try:
    torch.ops.scale_lib.scale_add(x.cpu(), z.cpu())
    raise AssertionError("the CPU has no such operator")
except NotImplementedError:
    pass
