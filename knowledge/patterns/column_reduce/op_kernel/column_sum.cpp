#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

// y[c] = sum of x[r, c] over r. A core adds rows of `width` columns to each other, so that all lanes work. A tile's
// later rows are added to its earlier ones, half of the rows at a time, which rounds less than adding row after row.
template <typename T> class KernelColumnSum {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ColumnSumTilingData &tiling)
    {
        t = tiling;
        xGm.SetGlobalBuffer((__gm__ T *)x);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.width * sizeof(T));
        pipe.InitBuffer(outQueue, 1, t.width * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(valuesBuf, t.tileRows * t.width * sizeof(float));
        }
        pipe.InitBuffer(sumBuf, t.width * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t strip = GetBlockIdx(); strip < t.strips; strip += GetBlockNum()) {
            const uint32_t column = strip * t.width;
            const uint32_t length = t.columns - column < t.width ? t.columns - column : t.width;
            Duplicate(sumBuf.Get<float>(), 0.0f, t.width);
            for (uint32_t row = 0; row < t.rows; row += t.tileRows) {
                const uint32_t rows = t.rows - row < t.tileRows ? t.rows - row : t.tileRows;
                CopyIn(row, rows, column, length);
                AddRows(rows);
            }
            CopyOut(column, length);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t row, uint32_t rows, uint32_t column, uint32_t length)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        // Gaps between rows: bytes in global memory, blocks of 32 bytes on chip, where a row takes `width` elements.
        const uint32_t bytes = length * sizeof(T);
        const uint32_t rest = static_cast<uint32_t>((t.columns - length) * sizeof(T));
        const uint32_t gap = (t.width * sizeof(T) - AlignUp(bytes, 32)) / 32;
        DataCopyPad(x, xGm[static_cast<uint64_t>(row) * t.columns + column],
                    DataCopyExtParams{static_cast<uint16_t>(rows), bytes, rest, gap, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    __aicore__ inline void AddRows(uint32_t rows)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<float> values;
        if constexpr (std::is_same_v<T, float>) {
            values = x; // computed in place
        } else {
            values = valuesBuf.Get<float>();
            Cast(values, x, RoundMode::CAST_NONE, rows * t.width);
        }
        while (rows > 1) {
            const uint32_t later = rows / 2; // of an odd number the middle row stays for the next round
            Add(values, values, values[(rows - later) * t.width], later * t.width);
            rows -= later;
        }
        LocalTensor<float> sum = sumBuf.Get<float>();
        Add(sum, sum, values, t.width);
        inQueue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t column, uint32_t length)
    {
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(y, sumBuf.Get<float>(), 0.0f, length); // a copy on chip
        } else {
            Cast(y, sumBuf.Get<float>(), RoundMode::CAST_RINT, length);
        }
        outQueue.EnQue(y);
        y = outQueue.DeQue<T>();
        DataCopyPad(yGm[column], y, DataCopyExtParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0});
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> valuesBuf, sumBuf;
    GlobalTensor<T> xGm, yGm;
    ColumnSumTilingData t; // the tiling data: the host's header describes its fields
};

extern "C" __global__ __aicore__ void column_sum(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelColumnSum<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
