#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;        // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t PARTIAL_SUMS = 8; // that a core stores: a block of 32 bytes, so no two cores write to one block

// y = mean of all elements of x. Each core sums its own, the first core adds what the cores stored.
template <typename T> class KernelMeanAll {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, const MeanAllTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = t.perCore * GetBlockIdx();
        count = t.length - first < t.perCore ? t.length - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        partialGm.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace));
        pipe.InitBuffer(inQueue, COPIES, t.tile * sizeof(T));
        pipe.InitBuffer(outQueue, 1, 32);
        pipe.InitBuffer(partialQueue, 1, AlignUp(GetBlockNum() * PARTIAL_SUMS, 64) * sizeof(float));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(valuesBuf, t.tile * sizeof(float));
        }
        pipe.InitBuffer(sumBuf, t.tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        Duplicate(sumBuf.Get<float>(), 0.0f, t.tile);
        for (uint64_t at = 0; at < count; at += t.tile) {
            const uint32_t length = count - at < t.tile ? count - at : t.tile;
            LocalTensor<T> x = inQueue.AllocTensor<T>();
            DataCopyPad(x, xGm[at], DataCopyExtParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0},
                        DataCopyPadExtParams<T>{false, 0, 0, 0});
            inQueue.EnQue(x);
            AddTile(length);
        }
        StorePartialSums();
        SyncAll(); // every core's sums are in global memory from here on
        if (GetBlockIdx() == 0) {
            ReducePartialSums();
        }
    }

private:
    // One instruction per tile: lane i of the sums takes elements i, i + tile, i + 2 * tile, ... A shorter tile leaves
    // the upper lanes as they are.
    __aicore__ inline void AddTile(uint32_t length)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<float> sum = sumBuf.Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            Add(sum, sum, x, length);
        } else {
            Cast(valuesBuf.Get<float>(), x, RoundMode::CAST_NONE, length);
            Add(sum, sum, valuesBuf.Get<float>(), length);
        }
        inQueue.FreeTensor(x);
    }

    // Add the upper half of the sums to the lower one until 64 are left; one BlockReduceSum reduces these to eight.
    __aicore__ inline void StorePartialSums()
    {
        LocalTensor<float> sum = sumBuf.Get<float>();
        for (uint32_t length = t.tile / 2; length >= 64; length /= 2) {
            Add(sum, sum, sum[length], length);
        }
        LocalTensor<float> eight = outQueue.AllocTensor<float>();
        BlockReduceSum<float>(eight, sum, 1, 64, 1, 1, 8);
        outQueue.EnQue(eight);
        eight = outQueue.DeQue<float>();
        DataCopy(partialGm[GetBlockIdx() * PARTIAL_SUMS], eight, PARTIAL_SUMS);
        outQueue.FreeTensor(eight);
    }

    __aicore__ inline void ReducePartialSums()
    {
        const uint32_t length = GetBlockNum() * PARTIAL_SUMS;
        LocalTensor<float> partial = partialQueue.AllocTensor<float>();
        DataCopy(partial, partialGm, length);
        partialQueue.EnQue(partial);
        partial = partialQueue.DeQue<float>();
        // The first WholeReduceSum leaves a sum for each repeat of 64 (six of 48 cores), the second one adds these.
        LocalTensor<float> sum = sumBuf.Get<float>();
        Duplicate(sum, 0.0f, AlignUp(length, 64));
        Add(sum, sum, partial, length);
        WholeReduceSum<float>(partial, sum, 64, DivCeil(length, 64), 1, 1, 8);
        WholeReduceSum<float>(sum, partial, DivCeil(length, 64), 1, 1, 1, 8);
        Muls(sum, sum, t.reciprocal, 1);
        partialQueue.FreeTensor(partial);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(y, sum, 0.0f, 1); // a copy on chip
        } else {
            Cast(y, sum, RoundMode::CAST_RINT, 1);
        }
        outQueue.EnQue(y);
        y = outQueue.DeQue<T>();
        DataCopyPad(yGm, y, DataCopyExtParams{1, sizeof(T), 0, 0, 0});
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECIN, 1> partialQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> valuesBuf, sumBuf;
    GlobalTensor<T> xGm, yGm;
    GlobalTensor<float> partialGm;
    MeanAllTilingData t; // the tiling data: the host's header describes its fields
    uint64_t count = 0;  // elements of this core
};

extern "C" __global__ __aicore__ void mean_all(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelMeanAll<DTYPE_X> op;
    op.Init(x, y, workspace, data);
    op.Process();
}
