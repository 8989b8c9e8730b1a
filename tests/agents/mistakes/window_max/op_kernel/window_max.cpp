#include "kernel_operator.h"

using namespace AscendC;

class KernelWindowMax {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t perCore, uint32_t columns, uint32_t padded)
    {
        const uint32_t first = perCore * GetBlockIdx();
        count = rows - first < perCore ? rows - first : perCore;
        this->columns = columns;
        this->padded = padded;
        xGm.SetGlobalBuffer((__gm__ float *)x + first * columns, count * columns);
        yGm.SetGlobalBuffer((__gm__ float *)y + first * columns, count * columns);
        pipe.InitBuffer(inQueue, 2, 3 * padded * sizeof(float));
        pipe.InitBuffer(outQueue, 2, padded * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t row = 0; row < count; ++row) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

private:
    // Three copies of the row: as it is, shifted right by one and shifted left by one, with -infinity where it ends.
    __aicore__ inline void CopyIn(uint32_t row)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        const float lowest = -3.402823466e+38f;
        const uint32_t bytes = columns * sizeof(float);
        DataCopyExtParams whole{1, bytes, 0, 0, 0};
        DataCopyPad(x, xGm[row * columns], whole, DataCopyPadExtParams<float>{false, 0, 0, 0});
        DataCopyExtParams right{1, bytes, 0, 0, 0};
        DataCopyPad(x[padded], xGm[row * columns], right, DataCopyPadExtParams<float>{true, 1, 0, lowest});
        DataCopyExtParams left{1, bytes - 4, 0, 0, 0};
        DataCopyPad(x[2 * padded], xGm[row * columns + 1], left, DataCopyPadExtParams<float>{true, 0, 1, lowest});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute()
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        Max(y, x, x[padded], columns);
        Max(y, y, x[2 * padded], columns);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t row)
    {
        LocalTensor<float> y = outQueue.DeQue<float>();
        DataCopyExtParams whole{1, static_cast<uint32_t>(columns * sizeof(float)), 0, 0, 0};
        DataCopyPad(yGm[row * columns], y, whole);
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 2> outQueue;
    GlobalTensor<float> xGm, yGm;
    uint32_t count = 0;
    uint32_t columns = 0;
    uint32_t padded = 0;
};

extern "C" __global__ __aicore__ void window_max(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelWindowMax op;
    op.Init(x, y, data.rows, data.perCore, data.columns, data.padded);
    op.Process();
}
