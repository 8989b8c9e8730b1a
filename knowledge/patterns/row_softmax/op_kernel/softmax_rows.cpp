#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;        // of each transfer buffer: one moves while the other is computed
constexpr uint32_t BLOCK_FLOATS = 8; // floats in a block of 32 bytes
constexpr uint32_t REPEAT_FLOATS = 64;
constexpr uint32_t APART = 2; // floats from one row's scalar to the next: WholeReduceMax writes at multiples of 8 bytes

template <typename T> class KernelSoftmaxRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SoftmaxRowsTilingData &data)
    {
        const uint64_t first = static_cast<uint64_t>(data.perCore) * GetBlockIdx();
        count = data.rows - first < data.perCore ? data.rows - first : data.perCore;
        columns = data.columns;
        stride = data.stride;
        tileRows = data.tileRows;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * columns);
        pipe.InitBuffer(inQueue, COPIES, tileRows * stride * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, tileRows * stride * sizeof(T));
        pipe.InitBuffer(valuesBuf, std::is_same_v<T, float> ? 32 : tileRows * stride * sizeof(float));
        pipe.InitBuffer(workBuf, stride / 2 * sizeof(float));
        const uint32_t scalars = AlignUp(tileRows * APART, BLOCK_FLOATS); // Brcb takes eight at a time
        pipe.InitBuffer(scalarBuf, scalars * sizeof(float));
        pipe.InitBuffer(spreadBuf, scalars * 32);
    }

    __aicore__ inline void Process()
    {
        CopyIn(0);
        for (uint32_t row = 0; row < count; row += tileRows) {
            // The next tile is asked for before this one's instructions, which are more than the vector unit's queue
            // takes: until some are done, the scalar unit would wait there and give out no copy.
            if (row + tileRows < count) {
                CopyIn(row + tileRows);
            }
            Compute(RowsFrom(row));
            CopyOut(row);
        }
    }

private:
    __aicore__ inline uint32_t RowsFrom(uint32_t row) const { return count - row < tileRows ? count - row : tileRows; }

    __aicore__ inline void CopyIn(uint32_t row)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        const DataCopyExtParams run{static_cast<uint16_t>(RowsFrom(row)), static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(x, xGm[static_cast<uint64_t>(row) * columns], run, DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t rows)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<float> values;
        LocalTensor<float> scalars = scalarBuf.Get<float>();
        LocalTensor<float> ones = spreadBuf.Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            values = x; // computed where it arrived
        } else {
            values = valuesBuf.Get<float>();
            Cast(values, x, RoundMode::CAST_NONE, rows * stride);
        }
        ReduceRows<true>(values, rows);
        WithItsScalar<false>(values, values, rows); // x - max: no exponent is above zero, so nothing overflows
        Exp(values, values, rows * stride);
        ReduceRows<false>(values, rows);
        // One division per row; the elements are multiplied, which takes a quarter of a division's time.
        Duplicate(ones, 1.0f, rows * APART);
        Div(scalars, ones, scalars, rows * APART);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            WithItsScalar<true>(y, values, rows);
        } else {
            WithItsScalar<true>(values, values, rows);
            Cast(y, values, RoundMode::CAST_RINT, rows * stride);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    // Leave each row's maximum or sum in scalars. BlockReduce makes one number of eight at a repeat a cycle (ReduceMax and
    // ReduceSum take seven cycles), so it goes first, until one WholeReduce takes the rest. Masked lanes take no part.
    template <bool MAX> __aicore__ inline void ReduceRows(const LocalTensor<float> &values, uint32_t rows)
    {
        LocalTensor<float> scalars = scalarBuf.Get<float>();
        SetMaskCount();
        for (uint32_t r = 0; r < rows; ++r) {
            LocalTensor<float> from = values[r * stride];
            LocalTensor<float> to = workBuf.Get<float>();
            uint32_t left = columns;
            while (left > REPEAT_FLOATS) {
                SetVectorMask<float, MaskMode::COUNTER>(left);
                if constexpr (MAX) {
                    BlockReduceMax<float, false>(to, from, 1, MASK_PLACEHOLDER, 1, 1, 8);
                } else {
                    BlockReduceSum<float, false>(to, from, 1, MASK_PLACEHOLDER, 1, 1, 8);
                }
                left = DivCeil(left, BLOCK_FLOATS);
                from = to;
                to = to[AlignUp(left, BLOCK_FLOATS)];
            }
            SetVectorMask<float, MaskMode::COUNTER>(left);
            if constexpr (MAX) {
                WholeReduceMax<float, false>(scalars[r * APART], from, MASK_PLACEHOLDER, 1, 1, 1, 8,
                                             ReduceOrder::ORDER_ONLY_VALUE);
            } else {
                WholeReduceSum<float, false>(scalars[r * APART], from, MASK_PLACEHOLDER, 1, 1, 1, 8);
            }
        }
        SetMaskNorm();
        ResetMask();
    }

    // Subtract each row's scalar from its row, or multiply the row by it.
    template <bool MULTIPLY>
    __aicore__ inline void WithItsScalar(const LocalTensor<float> &to, const LocalTensor<float> &from, uint32_t rows)
    {
        LocalTensor<float> spread = spreadBuf.Get<float>();
        Brcb(spread, scalarBuf.Get<float>(), DivCeil(rows * APART, BLOCK_FLOATS),
             {1, 8}); // each scalar fills one block
        // Strides of 0 read that one block for the whole row; in counter mode one instruction takes `columns` elements.
        const BinaryRepeatParams again{1, 1, 0, 8, 8, 0};
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(columns);
        for (uint32_t r = 0; r < rows; ++r) {
            if constexpr (MULTIPLY) {
                Mul<float, false>(to[r * stride], from[r * stride], spread[r * APART * BLOCK_FLOATS], MASK_PLACEHOLDER,
                                  1, again);
            } else {
                Sub<float, false>(to[r * stride], from[r * stride], spread[r * APART * BLOCK_FLOATS], MASK_PLACEHOLDER,
                                  1, again);
            }
        }
        SetMaskNorm();
        ResetMask();
    }

    __aicore__ inline void CopyOut(uint32_t row)
    {
        LocalTensor<T> y = outQueue.DeQue<T>();
        const DataCopyExtParams run{static_cast<uint16_t>(RowsFrom(row)), static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[static_cast<uint64_t>(row) * columns], y, run);
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> valuesBuf, workBuf, scalarBuf, spreadBuf;
    GlobalTensor<T> xGm, yGm;
    uint32_t count = 0, columns = 0, stride = 0, tileRows = 0;
};

extern "C" __global__ __aicore__ void softmax_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelSoftmaxRows<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
