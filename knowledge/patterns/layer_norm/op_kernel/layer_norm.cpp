#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t BLOCK_FLOATS = 8, REPEAT_FLOATS = 64; // in a block of 32 bytes, in a repeat of 256

// y = (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * weight + bias for each row.
template <typename T> class KernelLayerNorm {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y, const LayerNormTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.columns);
        weightGm.SetGlobalBuffer((__gm__ T *)weight);
        biasGm.SetGlobalBuffer((__gm__ T *)bias);
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(valuesBuf, t.tileRows * t.pitch * sizeof(float));
        }
        pipe.InitBuffer(squareBuf, t.tileRows * t.pitch * sizeof(float));
        pipe.InitBuffer(weightBuf, t.pitch * sizeof(float));
        pipe.InitBuffer(biasBuf, t.pitch * sizeof(float));
        pipe.InitBuffer(partialBuf, t.tileRows * t.partialPitch * 2 * sizeof(float));
        pipe.InitBuffer(scalarBuf, AlignUp(t.tileRows, BLOCK_FLOATS) * sizeof(float)); // Brcb takes eight at a time
        pipe.InitBuffer(spreadBuf, AlignUp(t.tileRows, BLOCK_FLOATS) * 32);
    }

    __aicore__ inline void Process()
    {
        Duplicate(partialBuf.Get<float>(), 0.0f, t.tileRows * t.partialPitch);
        LoadOnce(weightBuf.Get<float>(), weightGm);
        LoadOnce(biasBuf.Get<float>(), biasGm);
        CopyIn(xGm, RowsFrom(0));
        for (uint32_t row = 0; row < count; row += t.tileRows) {
            if (row + t.tileRows < count) { // before Compute fills the vector unit's queue and stops the scalar unit
                CopyIn(xGm[static_cast<uint64_t>(row + t.tileRows) * t.columns], RowsFrom(row + t.tileRows));
            }
            const uint16_t rows = RowsFrom(row);
            Compute(rows);
            LocalTensor<T> y = outQueue.DeQue<T>();
            DataCopyPad(yGm[static_cast<uint64_t>(row) * t.columns], y, DataCopyExtParams{rows, t.bytes, 0, 0, 0});
            outQueue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline uint16_t RowsFrom(uint32_t row) { return count - row < t.tileRows ? count - row : t.tileRows; }

    __aicore__ inline void CopyIn(const GlobalTensor<T> &from, uint16_t rows)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        DataCopyPad(x, from, DataCopyExtParams{rows, t.bytes, 0, 0, 0}, DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    // Weight and bias serve every row: they are loaded once, through the rows' queue, and kept as float.
    __aicore__ inline void LoadOnce(const LocalTensor<float> &kept, const GlobalTensor<T> &given)
    {
        CopyIn(given, 1);
        LocalTensor<T> row = inQueue.DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(kept, row, 0.0f, t.pitch); // a copy on chip
        } else {
            Cast(kept, row, RoundMode::CAST_NONE, t.pitch);
        }
        inQueue.FreeTensor(row);
    }

    __aicore__ inline void Compute(uint32_t rows)
    {
        LocalTensor<T> x = inQueue.DeQue<T>(), y = outQueue.AllocTensor<T>();
        LocalTensor<float> given, values; // of float the two queues' buffers, of 16-bit types a float copy
        if constexpr (std::is_same_v<T, float>) {
            given = x;
            values = y;
        } else {
            given = values = valuesBuf.Get<float>();
            Cast(values, x, RoundMode::CAST_NONE, rows * t.pitch);
        }
        LocalTensor<float> square = squareBuf.Get<float>(), scalars = scalarBuf.Get<float>();
        MeanRows(scalars, given, rows);
        ApplyScalar<false>(values, given, scalars, rows); // centred first: mean(x^2) - mean(x)^2 would cancel
        inQueue.FreeTensor(x);
        Mul(square, values, values, rows * t.pitch);
        MeanRows(scalars, square, rows);
        Adds(scalars, scalars, t.epsilon, rows);
        Sqrt(scalars, scalars, rows);
        Duplicate(square, 1.0f, rows);       // ones, for the squares have been used
        Div(scalars, square, scalars, rows); // not Rsqrt, which has nine correct bits
        ApplyScalar<true>(values, values, scalars, rows);
        for (uint32_t r = 0; r < rows; ++r) { // values = values * weight + bias
            FusedMulAdd(values[r * t.pitch], weightBuf.Get<float>(), biasBuf.Get<float>(), t.columns);
        }
        if constexpr (!std::is_same_v<T, float>) {
            Cast(y, values, RoundMode::CAST_RINT, rows * t.pitch);
        }
        outQueue.EnQue(y);
    }

    // BlockReduceSum adds blocks of eight floats at one repeat a cycle, WholeReduceSum takes seven. Counter mode masks
    // what pads a row; zeros pad its partial sums, so that one instruction then reduces those of all rows.
    __aicore__ inline void MeanRows(const LocalTensor<float> &means, const LocalTensor<float> &from, uint32_t rows)
    {
        LocalTensor<float> partial = partialBuf.Get<float>();
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(t.columns);
        for (uint32_t r = 0; r < rows; ++r) {
            BlockReduceSum<float, false>(partial[r * t.partialPitch], from[r * t.pitch], 1, MASK_PLACEHOLDER, 1, 1, 8);
        }
        for (uint32_t width = t.partialPitch; width > REPEAT_FLOATS; width /= 8) { // 64 * 8^n
            SetVectorMask<float, MaskMode::COUNTER>(rows * width);
            BlockReduceSum<float, false>(partial[t.tileRows * width], partial, 1, MASK_PLACEHOLDER, 1, 1, 8);
            partial = partial[t.tileRows * width];
        }
        SetMaskNorm();
        ResetMask();
        WholeReduceSum<float>(means, partial, REPEAT_FLOATS, rows, 1, 1, 8);
        Muls(means, means, t.reciprocal, rows);
    }

    // to = from * scalar or from - scalar, row by row. Brcb fills a block with each scalar; block and repeat strides of
    // 0 read that block for the whole row, so the scalar unit, which would have to wait, never reads it.
    template <bool MULTIPLY>
    __aicore__ inline void ApplyScalar(const LocalTensor<float> &to, const LocalTensor<float> &from,
                                       const LocalTensor<float> &scalars, uint32_t rows)
    {
        LocalTensor<float> spread = spreadBuf.Get<float>();
        Brcb(spread, scalars, DivCeil(rows, BLOCK_FLOATS), {1, 8});
        const BinaryRepeatParams sameBlock{1, 1, 0, 8, 8, 0};
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(t.columns);
        for (uint32_t r = 0; r < rows; ++r) {
            const LocalTensor<float> scalar = spread[r * BLOCK_FLOATS];
            MULTIPLY ? Mul<float, false>(to[r * t.pitch], from[r * t.pitch], scalar, MASK_PLACEHOLDER, 1, sameBlock)
                     : Sub<float, false>(to[r * t.pitch], from[r * t.pitch], scalar, MASK_PLACEHOLDER, 1, sameBlock);
        }
        SetMaskNorm();
        ResetMask();
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> valuesBuf, squareBuf, weightBuf, biasBuf, partialBuf, scalarBuf, spreadBuf;
    GlobalTensor<T> xGm, weightGm, biasGm, yGm;
    LayerNormTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;    // rows of this core
};

extern "C" __global__ __aicore__ void layer_norm(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                                 GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelLayerNorm<DTYPE_X> op;
    op.Init(x, weight, bias, y, data);
    op.Process();
}
