#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;  // of each transfer buffer: one moves while the other is computed
constexpr uint32_t GROUP = 32; // elements that are sorted by one instruction
constexpr uint32_t K = 4;      // results of a row
constexpr float LOWEST =
    -__builtin_inff(); // of what fills a row up: behind every score, and behind equal ones before it

// The four largest elements of each row, largest first, and their places.
class KernelTopKRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR places, const TopKRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ float *)x + first * t.columns);
        valuesGm.SetGlobalBuffer((__gm__ float *)values + first * K);
        placesGm.SetGlobalBuffer((__gm__ int64_t *)places + first * K);
        pipe.InitBuffer(inQueue, COPIES, t.padded * sizeof(float));
        pipe.InitBuffer(valueQueue, COPIES, GROUP * sizeof(float));
        pipe.InitBuffer(placeQueue, COPIES, GROUP * sizeof(int64_t));
        pipe.InitBuffer(scoreBuf, t.padded * sizeof(float));
        pipe.InitBuffer(indexBuf, t.padded * sizeof(int32_t));
        pipe.InitBuffer(sortedBuf, t.padded * 8); // records of score and place
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
            LocalTensor<int64_t> places = placeQueue.DeQue<int64_t>();
            DataCopyPad(placesGm[row * K], places, DataCopyExtParams{1, K * sizeof(int64_t), 0, 0, 0});
            placeQueue.FreeTensor(places);
        }
    }

private:
    __aicore__ inline void Compute()
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> score = scoreBuf.Get<float>(), sorted = sortedBuf.Get<float>(), concat;
        Duplicate(score, LOWEST, t.padded);
        Adds(score, x, 0.0f, t.columns);
        inQueue.FreeTensor(x);
        const int32_t groups = t.padded / GROUP;
        LocalTensor<float> work = workBuf.Get<float>();
        Concat(concat, score, work, groups); // the form in which Sort takes its scores
        Sort<float, true>(sorted, concat, indexBuf.Get<uint32_t>(), work, groups);
        LocalTensor<float> values = valueQueue.AllocTensor<float>();
        LocalTensor<int64_t> places = placeQueue.AllocTensor<int64_t>();
        LocalTensor<uint32_t> chosen = chosenBuf.Get<uint32_t>();
        Extract(values, chosen, sorted, 1); // the first 32 records hold the results
        Cast(places, chosen.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, GROUP);
        valueQueue.EnQue(values);
        placeQueue.EnQue(places);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> valueQueue, placeQueue;
    TBuf<TPosition::VECCALC> scoreBuf, indexBuf, sortedBuf, workBuf, chosenBuf;
    GlobalTensor<float> xGm, valuesGm;
    GlobalTensor<int64_t> placesGm;
    TopKRowsTilingData t; // what the host decided
    uint32_t count = 0;   // rows of this core
};

extern "C" __global__ __aicore__ void top_k_rows(GM_ADDR x, GM_ADDR values, GM_ADDR places, GM_ADDR workspace,
                                                 GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelTopKRows op;
    op.Init(x, values, places, data);
    op.Process();
}
