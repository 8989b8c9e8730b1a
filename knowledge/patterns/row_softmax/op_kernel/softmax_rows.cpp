#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t BLOCK_FLOATS = 8, REPEAT_FLOATS = 64; // in a block of 32 bytes, in a repeat of 256
constexpr uint32_t APART = 2; // floats from one row's scalar to the next: WholeReduceMax writes to multiples of 8 bytes

// y = exp(x - max(x)) / sum(exp(x - max(x))) for each row.
template <typename T> class KernelSoftmaxRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SoftmaxRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.columns);
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(valuesBuf, t.tileRows * t.pitch * sizeof(float));
        }
        pipe.InitBuffer(workBuf, t.pitch / 2 * sizeof(float));
        const uint32_t scalars = AlignUp(t.tileRows * APART, BLOCK_FLOATS); // Brcb takes eight at a time
        pipe.InitBuffer(scalarBuf, scalars * sizeof(float));
        pipe.InitBuffer(spreadBuf, scalars * 32);
    }

    __aicore__ inline void Process()
    {
        CopyIn(0);
        for (uint32_t row = 0; row < count; row += t.tileRows) {
            // Compute issues more instructions than the vector unit's queue holds, and the scalar unit stops while it
            // is full: the next tile's copy is issued first.
            if (row + t.tileRows < count) {
                CopyIn(row + t.tileRows);
            }
            Compute(RowsFrom(row));
            CopyOut(row);
        }
    }

private:
    __aicore__ inline uint32_t RowsFrom(uint32_t row) const
    {
        return count - row < t.tileRows ? count - row : t.tileRows;
    }

    __aicore__ inline DataCopyExtParams Rows(uint32_t row) const
    {
        return {static_cast<uint16_t>(RowsFrom(row)), static_cast<uint32_t>(t.columns * sizeof(T)), 0, 0, 0};
    }

    __aicore__ inline void CopyIn(uint32_t row)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        DataCopyPad(x, xGm[static_cast<uint64_t>(row) * t.columns], Rows(row), DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t rows)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<float> values;
        LocalTensor<float> scalars = scalarBuf.Get<float>();
        LocalTensor<float> ones = spreadBuf.Get<float>(); // the buffer is free until ApplyScalar
        if constexpr (std::is_same_v<T, float>) {
            values = x; // computed in place
        } else {
            values = valuesBuf.Get<float>();
            Cast(values, x, RoundMode::CAST_NONE, rows * t.pitch);
        }
        ReduceRows<true>(values, rows);
        ApplyScalar<false>(values, values, rows); // x - max is at most zero, so Exp does not overflow
        Exp(values, values, rows * t.pitch);
        ReduceRows<false>(values, rows);
        // One division per row, which takes four times as long as a multiplication. Gaps between scalars are divided, too.
        Duplicate(ones, 1.0f, rows * APART);
        Div(scalars, ones, scalars, rows * APART);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            ApplyScalar<true>(y, values, rows);
        } else {
            ApplyScalar<true>(values, values, rows);
            Cast(y, values, RoundMode::CAST_RINT, rows * t.pitch);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    // Write each row's maximum or sum to `scalars`. BlockReduce reduces blocks of eight floats at one repeat a cycle,
    // WholeReduce, at seven, gets the last 64 only. Counter mode masks what pads a row.
    template <bool MAX> __aicore__ inline void ReduceRows(const LocalTensor<float> &values, uint32_t rows)
    {
        LocalTensor<float> scalars = scalarBuf.Get<float>();
        SetMaskCount();
        for (uint32_t r = 0; r < rows; ++r) {
            LocalTensor<float> from = values[r * t.pitch];
            LocalTensor<float> to = workBuf.Get<float>();
            uint32_t left = t.columns;
            while (left > REPEAT_FLOATS) {
                SetVectorMask<float, MaskMode::COUNTER>(left);
                MAX ? BlockReduceMax<float, false>(to, from, 1, MASK_PLACEHOLDER, 1, 1, 8)
                    : BlockReduceSum<float, false>(to, from, 1, MASK_PLACEHOLDER, 1, 1, 8);
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

    // to = from * scalar or from - scalar, row by row. Brcb fills a block with each scalar.
    template <bool MULTIPLY>
    __aicore__ inline void ApplyScalar(const LocalTensor<float> &to, const LocalTensor<float> &from, uint32_t rows)
    {
        LocalTensor<float> spread = spreadBuf.Get<float>();
        Brcb(spread, scalarBuf.Get<float>(), DivCeil(rows * APART, BLOCK_FLOATS), {1, 8});
        // Block and repeat strides of 0 read that block for the whole row; counter mode takes t.columns elements.
        const BinaryRepeatParams sameBlock{1, 1, 0, 8, 8, 0};
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(t.columns);
        for (uint32_t r = 0; r < rows; ++r) {
            const LocalTensor<float> scalar = spread[r * APART * BLOCK_FLOATS];
            MULTIPLY ? Mul<float, false>(to[r * t.pitch], from[r * t.pitch], scalar, MASK_PLACEHOLDER, 1, sameBlock)
                     : Sub<float, false>(to[r * t.pitch], from[r * t.pitch], scalar, MASK_PLACEHOLDER, 1, sameBlock);
        }
        SetMaskNorm();
        ResetMask();
    }

    __aicore__ inline void CopyOut(uint32_t row)
    {
        LocalTensor<T> y = outQueue.DeQue<T>();
        DataCopyPad(yGm[static_cast<uint64_t>(row) * t.columns], y, Rows(row));
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> valuesBuf, workBuf, scalarBuf, spreadBuf;
    GlobalTensor<T> xGm, yGm;
    SoftmaxRowsTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;      // rows of this core
};

extern "C" __global__ __aicore__ void softmax_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelSoftmaxRows<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
