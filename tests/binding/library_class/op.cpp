// Tensors in int8 and int32, a class on the host, an output of another type than the input.
#include <torch/extension.h>
#include <torch/library.h>
#include "kernel_operator.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"

using namespace AscendC;

class KernelWiden {
public:
    __aicore__ inline KernelWiden(__gm__ int32_t *x, __gm__ float *y, int32_t count) : count_(count)
    {
        x_.SetGlobalBuffer(x, count);
        y_.SetGlobalBuffer(y, count);
        pipe_.InitBuffer(in_, 1, count * sizeof(int32_t));
        pipe_.InitBuffer(out_, 1, count * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        LocalTensor<int32_t> a = in_.AllocTensor<int32_t>();
        DataCopy(a, x_, count_);
        in_.EnQue(a);
        a = in_.DeQue<int32_t>();
        LocalTensor<float> b = out_.AllocTensor<float>();
        Cast(b, a, RoundMode::CAST_RINT, count_);
        Muls(b, b, 0.5f, count_);
        out_.EnQue(b);
        in_.FreeTensor(a);
        b = out_.DeQue<float>();
        DataCopy(y_, b, count_);
        out_.FreeTensor(b);
    }

private:
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    GlobalTensor<int32_t> x_;
    GlobalTensor<float> y_;
    int32_t count_;
};

__global__ __vector__ void widen(__gm__ int32_t *x, __gm__ float *y, int32_t count)
{
    KernelWiden op(x, y, count);
    op.Process();
}

class Launcher {
public:
    explicit Launcher(const at::Tensor &x) : x_(x), stream_(c10_npu::getCurrentNPUStream())
    {
        TORCH_CHECK(x.device().type() == c10::kPrivateUse1);
    }
    at::Tensor run() const
    {
        at::Tensor y = at::empty(x_.sizes(), x_.options().dtype(at::kFloat));
        widen<<<1, nullptr, stream_.stream()>>>(x_.data_ptr<int32_t>(), y.data_ptr<float>(), (int32_t)x_.numel());
        return y;
    }

private:
    at::Tensor x_;
    c10_npu::NPUStream stream_;
};

at::Tensor half_of(const at::Tensor &x) { return Launcher(x).run(); }

TORCH_LIBRARY(halves, m)
{
    m.def("half_of(Tensor x) -> Tensor");
    m.impl("half_of", torch::dispatch(c10::DispatchKey::PrivateUse1, TORCH_FN(half_of)));
}
