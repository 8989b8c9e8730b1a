#include "kernel_operator.h"

using namespace AscendC;

class KernelQuantise {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR scale, GM_ADDR y, uint32_t rows, uint32_t perCore, uint32_t columns,
                                uint32_t padded)
    {
        const uint32_t first = perCore * GetBlockIdx();
        count = rows - first < perCore ? rows - first : perCore;
        this->columns = columns;
        xGm.SetGlobalBuffer((__gm__ float *)x + first * columns, count * columns);
        scaleGm.SetGlobalBuffer((__gm__ float *)scale, columns);
        yGm.SetGlobalBuffer((__gm__ int8_t *)y + first * columns, count * columns);
        pipe.InitBuffer(inQueue, 2, padded * sizeof(float));
        pipe.InitBuffer(scaleQueue, 1, padded * sizeof(float));
        pipe.InitBuffer(outQueue, 2, padded);
        pipe.InitBuffer(halfBuf, padded * sizeof(half));
        pipe.InitBuffer(wholeBuf, padded * sizeof(int32_t));
    }

    __aicore__ inline void Process()
    {
        const DataCopyExtParams floats{1, static_cast<uint32_t>(columns * sizeof(float)), 0, 0, 0};
        const DataCopyExtParams bytes{1, columns, 0, 0, 0};
        const DataCopyPadExtParams<float> pad{false, 0, 0, 0};
        LocalTensor<float> scale = scaleQueue.AllocTensor<float>();
        DataCopyPad(scale, scaleGm, floats, pad);
        scaleQueue.EnQue(scale);
        scale = scaleQueue.DeQue<float>();
        for (uint32_t row = 0; row < count; ++row) {
            LocalTensor<float> x = inQueue.AllocTensor<float>();
            DataCopyPad(x, xGm[row * columns], floats, pad);
            inQueue.EnQue(x);
            x = inQueue.DeQue<float>();
            LocalTensor<int8_t> y = outQueue.AllocTensor<int8_t>();
            LocalTensor<int32_t> whole = wholeBuf.Get<int32_t>();
            LocalTensor<half> narrow = halfBuf.Get<half>();
            Mul(x, x, scale, columns);
            Mins(x, x, 127.0f, columns);
            Maxs(x, x, -128.0f, columns);
            Cast(whole, x, RoundMode::CAST_RINT, columns);
            SetDeqScale(static_cast<half>(1.0f));
            Cast(narrow, whole, RoundMode::CAST_NONE, columns);
            Cast(y, narrow, RoundMode::CAST_NONE, columns);
            outQueue.EnQue(y);
            inQueue.FreeTensor(x);
            y = outQueue.DeQue<int8_t>();
            DataCopyPad(yGm[row * columns], y, bytes);
            outQueue.FreeTensor(y);
        }
        scaleQueue.FreeTensor(scale);
    }

private:
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECIN, 1> scaleQueue;
    TQue<TPosition::VECOUT, 2> outQueue;
    TBuf<TPosition::VECCALC> halfBuf, wholeBuf;
    GlobalTensor<float> xGm, scaleGm;
    GlobalTensor<int8_t> yGm;
    uint32_t count = 0;
    uint32_t columns = 0;
};

extern "C" __global__ __aicore__ void quantise(GM_ADDR x, GM_ADDR scale, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelQuantise op;
    op.Init(x, scale, y, data.rows, data.perCore, data.columns, data.padded);
    op.Process();
}
