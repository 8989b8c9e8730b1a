import torch
import torch_npu

torch.ops.load_library("libhalves.so")
x = torch.arange(-32, 32, dtype=torch.int32).npu()
y = torch.ops.halves.half_of(x)
assert y.dtype == torch.float32 and y.is_npu
assert torch.equal(y.cpu(), torch.arange(-32, 32) / 2)
