// The vector unit reads a tile that the copy may not have brought yet: EnQue and DeQue are left out.
// code: PIPE_RACE
// x: float32 512
// want: x * 2
#include "kernel_operator.h"
using namespace AscendC;

class Scale {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y)
    {
        xGm_.SetGlobalBuffer((__gm__ float *)x, 512);
        yGm_.SetGlobalBuffer((__gm__ float *)y, 512);
        pipe_.InitBuffer(inQueue_, 2, 128 * sizeof(float));
        pipe_.InitBuffer(outQueue_, 2, 128 * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (int32_t i = 0; i < 4; ++i) {
            LocalTensor<float> in = inQueue_.AllocTensor<float>();
            DataCopy(in, xGm_[i * 128], 128);
            inQueue_.EnQue(in); // [correct]
            in = inQueue_.DeQue<float>(); // [correct]
            LocalTensor<float> out = outQueue_.AllocTensor<float>();
            Muls(out, in, 2.0f, 128); // [here]
            inQueue_.FreeTensor(in);
            outQueue_.EnQue(out);
            out = outQueue_.DeQue<float>();
            DataCopy(yGm_[i * 128], out, 128);
            outQueue_.FreeTensor(out);
        }
    }

private:
    TPipe pipe_;
    TQue<QuePosition::VECIN, 2> inQueue_;
    TQue<QuePosition::VECOUT, 2> outQueue_;
    GlobalTensor<float> xGm_, yGm_;
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Scale op;
    op.Init(x, y);
    op.Process();
}
