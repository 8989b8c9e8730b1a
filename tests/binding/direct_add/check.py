import torch
import torch_npu

torch.ops.load_library("./build/libascendc_ops.so")

x = torch.rand([8, 2048], device="cpu", dtype=torch.float16)
y = torch.rand([8, 2048], device="cpu", dtype=torch.float16)
output = torch.ops.ascendc_ops.ascendc_add(x.npu(), y.npu())
torch.npu.synchronize()
assert output.device.type == "npu"
assert torch.allclose(output.cpu(), x + y)
print("passed", torch_npu.__version__)
