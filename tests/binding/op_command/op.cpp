// The launch is a task of the framework's queue; the operator works in place.
#include <ATen/ATen.h>
#include <torch/library.h>
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/framework/OpCommand.h"
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void clamp_inplace(GM_ADDR x, float low, float high, uint32_t count)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
    AscendC::GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float *)x, count);
    pipe.InitBuffer(queue, 1, (count + 7) / 8 * 32);
    auto v = queue.AllocTensor<float>();
    AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    AscendC::DataCopyPadExtParams pad{false, 0, 0, 0.0f};
    AscendC::DataCopyPad(v, gm, copy, pad);
    queue.EnQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, float>(v);
    v = queue.DeQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, float>();
    AscendC::Maxs(v, v, low, count);
    AscendC::Mins(v, v, high, count);
    queue.EnQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, float>(v);
    v = queue.DeQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, float>();
    AscendC::DataCopyPad(gm, v, copy);
    queue.FreeTensor(v);
}

at::Tensor &clamp_(at::Tensor &self, double low, double high)
{
    TORCH_CHECK(self.is_contiguous() && self.scalar_type() == at::kFloat, "contiguous float only");
    auto stream = c10_npu::getCurrentNPUStream().stream(false);
    auto task = [=]() -> int {
        clamp_inplace<<<1, nullptr, stream>>>((uint8_t *)self.data_ptr(), low, high, self.numel());
        return 0;
    };
    at_npu::native::OpCommand::RunOpApi("ClampInplace", task);
    return self;
}

TORCH_LIBRARY_FRAGMENT(my_npu, m) { m.def("clamp_(Tensor(a!) self, float low, float high) -> Tensor(a!)"); }
TORCH_LIBRARY_IMPL(my_npu, PrivateUse1, m) { m.impl("clamp_", TORCH_FN(clamp_)); }
