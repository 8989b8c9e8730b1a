#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;  // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t GROUP = 32; // elements that Sort takes in a repeat; Concat takes 16
constexpr uint32_t K = 4;      // results of a row
constexpr float LOWEST = -__builtin_inff(); // pads a row. Of equal scores the one with the lower index comes first

// The K largest elements of each row in descending order, and their indices.
class KernelTopKRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR indices, const TopKRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ float *)x + first * t.columns);
        valuesGm.SetGlobalBuffer((__gm__ float *)values + first * K);
        indicesGm.SetGlobalBuffer((__gm__ int64_t *)indices + first * K);
        pipe.InitBuffer(inQueue, COPIES, t.padded * sizeof(float));
        pipe.InitBuffer(valueQueue, COPIES, GROUP * sizeof(float));
        pipe.InitBuffer(indexQueue, COPIES, GROUP * sizeof(int64_t));
        pipe.InitBuffer(scoreBuf, t.padded * sizeof(float));
        pipe.InitBuffer(indexBuf, t.padded * sizeof(int32_t));
        pipe.InitBuffer(sortedBuf, t.padded * 8); // records of score and index
        pipe.InitBuffer(workBuf, t.padded * 8);
        pipe.InitBuffer(chosenBuf, GROUP * sizeof(uint32_t));
    }

    __aicore__ inline void Process()
    {
        CreateVecIndex(indexBuf.Get<int32_t>(), 0, t.padded);
        for (uint32_t row = 0; row < count; ++row) {
            LocalTensor<float> x = inQueue.AllocTensor<float>();
            DataCopyPad(x, xGm[static_cast<uint64_t>(row) * t.columns],
                        DataCopyExtParams{1, static_cast<uint32_t>(t.columns * sizeof(float)), 0, 0, 0},
                        DataCopyPadExtParams<float>{false, 0, 0, 0});
            inQueue.EnQue(x);
            Compute();
            LocalTensor<float> values = valueQueue.DeQue<float>();
            DataCopyPad(valuesGm[row * K], values, DataCopyExtParams{1, K * sizeof(float), 0, 0, 0});
            valueQueue.FreeTensor(values);
            LocalTensor<int64_t> indices = indexQueue.DeQue<int64_t>();
            DataCopyPad(indicesGm[row * K], indices, DataCopyExtParams{1, K * sizeof(int64_t), 0, 0, 0});
            indexQueue.FreeTensor(indices);
        }
    }

private:
    __aicore__ inline void Compute()
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> score = scoreBuf.Get<float>(), sorted = sortedBuf.Get<float>(), concat;
        Duplicate(score, LOWEST, t.padded);
        Adds(score, x, 0.0f, t.columns); // a copy on chip
        inQueue.FreeTensor(x);
        const int32_t groups = t.padded / GROUP;
        LocalTensor<float> work = workBuf.Get<float>();
        Concat(concat, score, work, t.padded / 16); // no copy on this chip: concat becomes score
        Sort<float, true>(sorted, concat, indexBuf.Get<uint32_t>(), work, groups);
        LocalTensor<float> values = valueQueue.AllocTensor<float>();
        LocalTensor<int64_t> indices = indexQueue.AllocTensor<int64_t>();
        LocalTensor<uint32_t> chosen = chosenBuf.Get<uint32_t>();
        Extract(values, chosen, sorted, 1); // of the first 32 records; K of them are stored
        Cast(indices, chosen.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, GROUP);
        valueQueue.EnQue(values);
        indexQueue.EnQue(indices);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> valueQueue, indexQueue;
    TBuf<TPosition::VECCALC> scoreBuf, indexBuf, sortedBuf, workBuf, chosenBuf;
    GlobalTensor<float> xGm, valuesGm;
    GlobalTensor<int64_t> indicesGm;
    TopKRowsTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;   // rows of this core
};

extern "C" __global__ __aicore__ void top_k_rows(GM_ADDR x, GM_ADDR values, GM_ADDR indices, GM_ADDR workspace,
                                                 GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelTopKRows op;
    op.Init(x, values, indices, data);
    op.Process();
}
