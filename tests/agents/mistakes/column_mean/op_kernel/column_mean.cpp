#include "kernel_operator.h"

using namespace AscendC;

class KernelColumnMean {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t perCore, uint32_t columns, uint32_t tile)
    {
        this->rows = rows;
        this->columns = columns;
        this->tile = tile;
        first = perCore * GetBlockIdx();
        width = columns - first < perCore ? columns - first : perCore;
        xGm.SetGlobalBuffer((__gm__ float *)x, rows * columns);
        yGm.SetGlobalBuffer((__gm__ float *)y, columns);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = first; at < first + width; at += tile) {
            const uint32_t count = first + width - at < tile ? first + width - at : tile;
            const DataCopyExtParams one{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
            LocalTensor<float> sum = outQueue.AllocTensor<float>();
            Duplicate(sum, 0.0f, count);
            for (uint32_t row = 0; row < rows; ++row) {
                LocalTensor<float> x = inQueue.AllocTensor<float>();
                DataCopyPad(x, xGm[row * columns + at], one, DataCopyPadExtParams<float>{false, 0, 0, 0});
                inQueue.EnQue(x);
                x = inQueue.DeQue<float>();
                Add(sum, sum, x, count);
                inQueue.FreeTensor(x);
            }
            Muls(sum, sum, 1.0f / rows, count);
            outQueue.EnQue(sum);
            sum = outQueue.DeQue<float>();
            DataCopyPad(yGm[at], sum, one);
            outQueue.FreeTensor(sum);
        }
    }

private:
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 2> outQueue;
    GlobalTensor<float> xGm, yGm;
    uint32_t rows = 0;
    uint32_t columns = 0;
    uint32_t tile = 0;
    uint32_t first = 0;
    uint32_t width = 0;
};

extern "C" __global__ __aicore__ void column_mean(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelColumnMean op;
    op.Init(x, y, data.rows, data.perCore, data.columns, data.tile);
    op.Process();
}
