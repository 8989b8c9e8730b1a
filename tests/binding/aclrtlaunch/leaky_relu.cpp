#include "kernel_operator.h"

class KernelLeakyRelu {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t length, float slope)
    {
        share_ = length / AscendC::GetBlockNum();
        slope_ = slope;
        x_.SetGlobalBuffer((__gm__ float *)x + share_ * AscendC::GetBlockIdx(), share_);
        y_.SetGlobalBuffer((__gm__ float *)y + share_ * AscendC::GetBlockIdx(), share_);
        pipe_.InitBuffer(in_, 1, share_ * sizeof(float));
        pipe_.InitBuffer(out_, 1, share_ * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        auto x = in_.AllocTensor<float>();
        AscendC::DataCopy(x, x_, share_);
        in_.EnQue(x);
        x = in_.DeQue<float>();
        auto y = out_.AllocTensor<float>();
        AscendC::LeakyRelu(y, x, slope_, share_);
        out_.EnQue(y);
        in_.FreeTensor(x);
        y = out_.DeQue<float>();
        AscendC::DataCopy(y_, y, share_);
        out_.FreeTensor(y);
    }

private:
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::QuePosition::VECIN, 1> in_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> out_;
    AscendC::GlobalTensor<float> x_, y_;
    uint32_t share_ = 0;
    float slope_ = 0;
};

extern "C" __global__ __aicore__ void leaky_relu(GM_ADDR x, GM_ADDR y, uint32_t length, float slope)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    KernelLeakyRelu op;
    op.Init(x, y, length, slope);
    op.Process();
}
