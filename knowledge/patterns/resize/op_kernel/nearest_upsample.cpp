#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: one moves while the other is computed

// Images twice as high and twice as wide: every element of x fills a square of four.
template <typename T> class KernelNearestUpsample {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const NearestUpsampleTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.width);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.width * 4);
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.stride * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, 2 * t.tileRows * t.stride * sizeof(T));
        pipe.InitBuffer(offsetBuf, 2 * t.tileRows * t.stride * sizeof(int32_t));
    }

    __aicore__ inline void Process()
    {
        PrepareOffsets();
        for (uint32_t row = 0; row < count; row += t.tileRows) {
            const uint16_t rows = count - row < t.tileRows ? count - row : t.tileRows;
            LocalTensor<T> x = inQueue.AllocTensor<T>();
            const uint32_t bytes = t.width * sizeof(T);
            const uint32_t gap = (t.stride * sizeof(T) - AlignUp(bytes, 32)) / 32; // on chip, in blocks of 32 bytes
            DataCopyPad(x, xGm[static_cast<uint64_t>(row) * t.width], DataCopyExtParams{rows, bytes, 0, gap, 0},
                        DataCopyPadExtParams<T>{false, 0, 0, 0});
            inQueue.EnQue(x);
            Double(rows);
            CopyOut(row, rows);
        }
    }

private:
    // Result i of a tile is element i / 2; Gather takes its place in bytes. Rows are whole blocks on chip, so a tile is doubled
    // as one long row.
    __aicore__ inline void PrepareOffsets()
    {
        LocalTensor<int32_t> offset = offsetBuf.Get<int32_t>();
        const uint32_t length = 2 * t.tileRows * t.stride;
        CreateVecIndex(offset, 0, length);
        ShiftRight(offset, offset, 1, length);
        Muls(offset, offset, static_cast<int32_t>(sizeof(T)), length);
    }

    __aicore__ inline void Double(uint32_t rows)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        Gather(y, x, offsetBuf.Get<uint32_t>(), 0, 2 * rows * t.stride);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    // Every doubled row goes to two rows of y: to the even ones first, each a row apart from the next, then to the odd ones.
    __aicore__ inline void CopyOut(uint32_t row, uint16_t rows)
    {
        LocalTensor<T> y = outQueue.DeQue<T>();
        const uint32_t bytes = 2 * t.width * sizeof(T);
        const uint32_t gap = (2 * t.stride * sizeof(T) - AlignUp(bytes, 32)) / 32;
        const uint64_t at = static_cast<uint64_t>(row) * t.width * 4;
        DataCopyPad(yGm[at], y, DataCopyExtParams{rows, bytes, gap, bytes, 0});
        DataCopyPad(yGm[at + 2 * t.width], y, DataCopyExtParams{rows, bytes, gap, bytes, 0});
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> offsetBuf;
    GlobalTensor<T> xGm, yGm;
    NearestUpsampleTilingData t; // what the host decided
    uint32_t count = 0; // rows of x that this core doubles
};

extern "C" __global__ __aicore__ void nearest_upsample(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelNearestUpsample<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
