#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: one moves while the other is computed
constexpr uint32_t LEFT = 8;  // partial sums that a core hands on: one block of 32 bytes

// The mean of all elements, over several cores.
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
        pipe.InitBuffer(partialQueue, 1, AlignUp(GetBlockNum() * LEFT, 64) * sizeof(float));
        pipe.InitBuffer(valuesBuf, t.tile * sizeof(float));
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
        HandOn();
        SyncAll(); // every core's sums are in global memory from here on
        if (GetBlockIdx() == 0) {
            Finish();
        }
    }

private:
    // One instruction per tile: lane i of the sums takes elements i, i + tile, i + 2 * tile, ... A shorter tile leaves the
    // upper lanes as they are.
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

    // Fold the upper half of the sums onto the lower one until 64 are left, which one instruction makes eight.
    __aicore__ inline void HandOn()
    {
        LocalTensor<float> sum = sumBuf.Get<float>();
        for (uint32_t half = t.tile / 2; half >= 64; half /= 2) {
            Add(sum, sum, sum[half], half);
        }
        LocalTensor<float> left = outQueue.AllocTensor<float>();
        BlockReduceSum<float>(left, sum, 1, 64, 1, 1, 8);
        outQueue.EnQue(left);
        left = outQueue.DeQue<float>();
        DataCopy(partialGm[GetBlockIdx() * LEFT], left, LEFT);
        outQueue.FreeTensor(left);
    }

    __aicore__ inline void Finish()
    {
        const uint32_t length = GetBlockNum() * LEFT;
        LocalTensor<float> partial = partialQueue.AllocTensor<float>();
        DataCopy(partial, partialGm, length);
        partialQueue.EnQue(partial);
        partial = partialQueue.DeQue<float>();
        // At most 6 repeats of 64 (48 cores), so at most 6 numbers are left for a second instruction.
        LocalTensor<float> sum = sumBuf.Get<float>();
        Duplicate(sum, 0.0f, AlignUp(length, 64));
        Add(sum, sum, partial, length);
        WholeReduceSum<float>(partial, sum, 64, DivCeil(length, 64), 1, 1, 8);
        WholeReduceSum<float>(sum, partial, DivCeil(length, 64), 1, 1, 1, 8);
        Muls(sum, sum, 1.0f / static_cast<float>(static_cast<int64_t>(t.length)), 1);
        partialQueue.FreeTensor(partial);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(y, sum, 0.0f, 1);
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
    MeanAllTilingData t; // what the host decided
    uint64_t count = 0; // elements of this core
};

extern "C" __global__ __aicore__ void mean_all(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelMeanAll<DTYPE_X> op;
    op.Init(x, y, workspace, data);
    op.Process();
}
