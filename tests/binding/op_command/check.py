import torch
import torch_npu

torch.ops.load_library("libmy_npu.so")
device = torch.device("npu:0")
x = torch.linspace(-3, 3, 101).to(device)
before = x.data_ptr()
y = torch.ops.my_npu.clamp_(x, -1.0, 1.0)
assert y.data_ptr() == before
assert torch.equal(x.cpu(), torch.linspace(-3, 3, 101).clamp(-1, 1))
