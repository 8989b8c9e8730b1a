// Two results and a workspace that the binding allocates.
#include <torch/extension.h>
#include <tuple>
#include "acl/acl.h"
#include "kernel_operator.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"

struct RowTiling {
    uint32_t rows;
    uint32_t columns;
};

__global__ __vector__ void row_extremes(GM_ADDR x, GM_ADDR low, GM_ADDR high, GM_ADDR workspace, RowTiling t)
{
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outLow, outHigh;
    AscendC::TBuf<> work;
    AscendC::GlobalTensor<float> xGm, lowGm, highGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, t.rows * t.columns);
    lowGm.SetGlobalBuffer((__gm__ float *)low, t.rows);
    highGm.SetGlobalBuffer((__gm__ float *)high, t.rows);
    pipe.InitBuffer(in, 1, t.columns * sizeof(float));
    pipe.InitBuffer(outLow, 1, 32);
    pipe.InitBuffer(outHigh, 1, 32);
    pipe.InitBuffer(work, t.columns * sizeof(float));
    AscendC::DataCopyExtParams one{1, sizeof(float), 0, 0, 0};
    for (uint32_t row = 0; row < t.rows; ++row) {
        auto v = in.AllocTensor<float>();
        AscendC::DataCopy(v, xGm[row * t.columns], t.columns);
        in.EnQue(v);
        v = in.DeQue<float>();
        auto a = outLow.AllocTensor<float>();
        auto b = outHigh.AllocTensor<float>();
        AscendC::ReduceMin(a, v, work.Get<float>(), static_cast<int32_t>(t.columns), false);
        AscendC::ReduceMax(b, v, work.Get<float>(), static_cast<int32_t>(t.columns), false);
        outLow.EnQue(a);
        outHigh.EnQue(b);
        in.FreeTensor(v);
        a = outLow.DeQue<float>();
        b = outHigh.DeQue<float>();
        AscendC::DataCopyPad(lowGm[row], a, one);
        AscendC::DataCopyPad(highGm[row], b, one);
        outLow.FreeTensor(a);
        outHigh.FreeTensor(b);
    }
}

std::tuple<at::Tensor, at::Tensor> row_extremes_npu(const at::Tensor &self)
{
    at::Tensor x = self.contiguous();
    auto options = at::TensorOptions().dtype(x.dtype()).device(x.options().device());
    at::Tensor low = at::zeros({x.size(0)}, options);
    at::Tensor high = at::zeros({x.size(0)}, options);
    at::Tensor workspace = at::empty({16}, options.dtype(at::kByte));
    aclrtStream stream = c10_npu::getCurrentNPUStream().stream(true);
    RowTiling tiling{static_cast<uint32_t>(x.size(0)), static_cast<uint32_t>(x.size(1))};
    row_extremes<<<1, nullptr, stream>>>((uint8_t *)x.data_ptr(), (uint8_t *)low.data_ptr(), (uint8_t *)high.data_ptr(),
                                         (uint8_t *)workspace.data_ptr(), tiling);
    aclrtSynchronizeStream(stream);
    return std::make_tuple(low, high);
}

TORCH_LIBRARY(extremes, m)
{
    m.def("row_extremes(Tensor self) -> (Tensor, Tensor)");
}
TORCH_LIBRARY_IMPL(extremes, PrivateUse1, m)
{
    m.impl("row_extremes", row_extremes_npu);
}
