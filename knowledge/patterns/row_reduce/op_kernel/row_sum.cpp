#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;          // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t REPEAT_FLOATS = 64; // in a repeat of 256 bytes

// y = sum(x) for each row. Rows that are longer than a piece are summed piece by piece; a tile has up to 64 short rows.
template <typename T> class KernelRowSum {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const RowSumTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first);
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, AlignUp(t.tileRows, 16) * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(valuesBuf, t.tileRows * t.pitch * sizeof(float));
        }
        pipe.InitBuffer(partialBuf, t.tileRows * t.partialPitch * 2 * sizeof(float));
        pipe.InitBuffer(sumBuf, AlignUp(t.tileRows, 8) * sizeof(float));
        pipe.InitBuffer(pieceSumBuf, AlignUp(t.tileRows, 8) * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t row = 0; row < count; row += t.tileRows) {
            const uint32_t rows = count - row < t.tileRows ? count - row : t.tileRows;
            LocalTensor<float> sums = sumBuf.Get<float>();
            for (uint32_t column = 0; column < t.columns; column += t.piece) {
                const uint32_t length = t.columns - column < t.piece ? t.columns - column : t.piece;
                CopyIn(row, rows, column, length);
                if (column == 0) {
                    SumPieces(sums, rows, length);
                } else {
                    SumPieces(pieceSumBuf.Get<float>(), rows, length);
                    Add(sums, sums, pieceSumBuf.Get<float>(), rows);
                }
            }
            CopyOut(row, rows);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t row, uint32_t rows, uint32_t column, uint32_t length)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        // Gaps between rows: bytes in global memory, blocks of 32 bytes on chip.
        const uint32_t bytes = length * sizeof(T);
        const uint32_t rest = static_cast<uint32_t>((t.columns - length) * sizeof(T));
        const uint32_t gap = (t.pitch * sizeof(T) - AlignUp(bytes, 32)) / 32;
        DataCopyPad(x, xGm[static_cast<uint64_t>(row) * t.columns + column],
                    DataCopyExtParams{static_cast<uint16_t>(rows), bytes, rest, gap, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    // Write the sum of `length` elements of each row to `sums`. BlockReduceSum adds blocks of eight floats at one
    // repeat a cycle, WholeReduceSum takes seven. Counter mode masks what pads a row; zeros pad its partial sums, so
    // that one instruction then reduces those of all rows. They are written each time, for a row's last piece is
    // shorter.
    __aicore__ inline void SumPieces(const LocalTensor<float> &sums, uint32_t rows, uint32_t length)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<float> values;
        if constexpr (std::is_same_v<T, float>) {
            values = x;
        } else {
            values = valuesBuf.Get<float>();
            Cast(values, x, RoundMode::CAST_NONE, rows * t.pitch);
        }
        LocalTensor<float> partial = partialBuf.Get<float>();
        Duplicate(partial, 0.0f, rows * t.partialPitch);
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(length);
        for (uint32_t r = 0; r < rows; ++r) {
            BlockReduceSum<float, false>(partial[r * t.partialPitch], values[r * t.pitch], 1, MASK_PLACEHOLDER, 1, 1,
                                         8);
        }
        inQueue.FreeTensor(x);
        for (uint32_t width = t.partialPitch; width > REPEAT_FLOATS; width /= 8) {
            SetVectorMask<float, MaskMode::COUNTER>(rows * width);
            BlockReduceSum<float, false>(partial[t.tileRows * width], partial, 1, MASK_PLACEHOLDER, 1, 1, 8);
            partial = partial[t.tileRows * width];
        }
        SetMaskNorm();
        ResetMask();
        WholeReduceSum<float>(sums, partial, REPEAT_FLOATS, rows, 1, 1, 8);
    }

    __aicore__ inline void CopyOut(uint32_t row, uint32_t rows)
    {
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(y, sumBuf.Get<float>(), 0.0f, rows); // a copy on chip
        } else {
            Cast(y, sumBuf.Get<float>(), RoundMode::CAST_RINT, rows);
        }
        outQueue.EnQue(y);
        y = outQueue.DeQue<T>();
        DataCopyPad(yGm[row], y, DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(T)), 0, 0, 0});
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> valuesBuf, partialBuf, sumBuf, pieceSumBuf;
    GlobalTensor<T> xGm, yGm;
    RowSumTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0; // rows of this core
};

extern "C" __global__ __aicore__ void row_sum(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelRowSum<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
