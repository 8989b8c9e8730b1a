#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

// y[p, r, s] = x[p, r / 2, s / 2]: images twice as high and twice as wide.
template <typename T> class KernelNearestUpsample {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const NearestUpsampleTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.width);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.width * 4); // a row of x becomes two rows of twice its width
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, 2 * t.tileRows * t.pitch * sizeof(T));
        pipe.InitBuffer(offsetBuf, 2 * t.tileRows * t.pitch * sizeof(int32_t));
    }

    __aicore__ inline void Process()
    {
        PrepareOffsets();
        for (uint32_t row = 0; row < count; row += t.tileRows) {
            const uint16_t rows = count - row < t.tileRows ? count - row : t.tileRows;
            LocalTensor<T> x = inQueue.AllocTensor<T>();
            const uint32_t bytes = t.width * sizeof(T);
            const uint32_t gap = (t.pitch * sizeof(T) - AlignUp(bytes, 32)) / 32; // blocks of 32 bytes
            DataCopyPad(x, xGm[static_cast<uint64_t>(row) * t.width], DataCopyExtParams{rows, bytes, 0, gap, 0},
                        DataCopyPadExtParams<T>{false, 0, 0, 0});
            inQueue.EnQue(x);
            Double(rows);
            CopyOut(row, rows);
        }
    }

private:
    // Result i of a tile is element i / 2 of x, whose offset Gather takes in bytes. The pitch doubles with the rows, so
    // one Gather serves a whole tile.
    __aicore__ inline void PrepareOffsets()
    {
        LocalTensor<int32_t> offset = offsetBuf.Get<int32_t>();
        const uint32_t length = 2 * t.tileRows * t.pitch;
        CreateVecIndex(offset, 0, length);
        ShiftRight(offset, offset, 1, length);
        Muls(offset, offset, static_cast<int32_t>(sizeof(T)), length);
    }

    __aicore__ inline void Double(uint32_t rows)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        Gather(y, x, offsetBuf.Get<uint32_t>(), 0, 2 * rows * t.pitch);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    // Store each doubled row twice: first all to the even rows of y, then all to the odd ones. The gap between two of
    // them in global memory is a row of y, which is as long as what is stored.
    __aicore__ inline void CopyOut(uint32_t row, uint16_t rows)
    {
        LocalTensor<T> y = outQueue.DeQue<T>();
        const uint32_t bytes = 2 * t.width * sizeof(T);
        const uint32_t gap = (2 * t.pitch * sizeof(T) - AlignUp(bytes, 32)) / 32;
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
    NearestUpsampleTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;          // rows of x that this core doubles
};

extern "C" __global__ __aicore__ void nearest_upsample(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelNearestUpsample<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
