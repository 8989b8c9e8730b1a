#include "kernel_operator.h"

using namespace AscendC;

class KernelEmbeddingRows {
public:
    __aicore__ inline void Init(GM_ADDR index, GM_ADDR table, GM_ADDR y, uint32_t count, uint32_t perCore,
                                uint32_t columns, uint32_t padded)
    {
        first = perCore * GetBlockIdx();
        rows = count - first < perCore ? count - first : perCore;
        this->columns = columns;
        indexGm.SetGlobalBuffer((__gm__ int64_t *)index, count);
        tableGm.SetGlobalBuffer((__gm__ float *)table);
        yGm.SetGlobalBuffer((__gm__ float *)y, count * columns);
        pipe.InitBuffer(inQueue, 2, padded * sizeof(float));
        pipe.InitBuffer(outQueue, 2, padded * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        DataCopyExtParams one{1, static_cast<uint32_t>(columns * sizeof(float)), 0, 0, 0};
        for (uint32_t row = first; row < first + rows; ++row) {
            const int64_t chosen = indexGm.GetValue(row);
            LocalTensor<float> x = inQueue.AllocTensor<float>();
            DataCopyPad(x, tableGm[chosen * columns], one, DataCopyPadExtParams<float>{false, 0, 0, 0});
            inQueue.EnQue(x);
            x = inQueue.DeQue<float>();
            LocalTensor<float> y = outQueue.AllocTensor<float>();
            Muls(y, x, 8.0f, columns);
            outQueue.EnQue(y);
            inQueue.FreeTensor(x);
            y = outQueue.DeQue<float>();
            DataCopyPad(yGm[row * columns], y, one);
            outQueue.FreeTensor(y);
        }
    }

private:
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 2> outQueue;
    GlobalTensor<int64_t> indexGm;
    GlobalTensor<float> tableGm, yGm;
    uint32_t first = 0;
    uint32_t rows = 0;
    uint32_t columns = 0;
};

extern "C" __global__ __aicore__ void embedding_rows(GM_ADDR index, GM_ADDR table, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelEmbeddingRows op;
    op.Init(index, table, y, data.count, data.perCore, data.columns, data.padded);
    op.Process();
}
