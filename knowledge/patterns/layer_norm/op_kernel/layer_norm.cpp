#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;        // of each transfer buffer: one moves while the other is computed
constexpr uint32_t BLOCK_FLOATS = 8; // floats in a block of 32 bytes
constexpr uint32_t REPEAT_FLOATS = 64;

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
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.stride * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, t.tileRows * t.stride * sizeof(T));
        pipe.InitBuffer(valuesBuf, std::is_same_v<T, float> ? 32 : t.tileRows * t.stride * sizeof(float));
        pipe.InitBuffer(squareBuf, t.tileRows * t.stride * sizeof(float));
        pipe.InitBuffer(weightBuf, t.stride * sizeof(float));
        pipe.InitBuffer(biasBuf, t.stride * sizeof(float));
        pipe.InitBuffer(partialBuf, t.tileRows * t.partialStride * 2 * sizeof(float));
        pipe.InitBuffer(scalarBuf, AlignUp(t.tileRows, BLOCK_FLOATS) * sizeof(float)); // Brcb takes eight at a time
        pipe.InitBuffer(spreadBuf, AlignUp(t.tileRows, BLOCK_FLOATS) * 32);
    }

    __aicore__ inline void Process()
    {
        Duplicate(partialBuf.Get<float>(), 0.0f, t.tileRows * t.partialStride);
        LoadOnce(weightBuf.Get<float>(), weightGm);
        LoadOnce(biasBuf.Get<float>(), biasGm);
        for (uint32_t row = 0; row < count; row += t.tileRows) {
            const uint32_t rows = count - row < t.tileRows ? count - row : t.tileRows;
            LocalTensor<T> x = inQueue.AllocTensor<T>();
            const DataCopyExtParams run{static_cast<uint16_t>(rows), static_cast<uint32_t>(t.columns * sizeof(T)), 0, 0,
                                        0};
            DataCopyPad(x, xGm[static_cast<uint64_t>(row) * t.columns], run, DataCopyPadExtParams<T>{false, 0, 0, 0});
            inQueue.EnQue(x);
            Compute(rows);
            LocalTensor<T> y = outQueue.DeQue<T>();
            DataCopyPad(yGm[static_cast<uint64_t>(row) * t.columns], y, run);
            outQueue.FreeTensor(y);
        }
    }

private:
    // Weight and bias serve every row: they come in through the rows' queue and stay as float.
    __aicore__ inline void LoadOnce(const LocalTensor<float> &kept, const GlobalTensor<T> &given)
    {
        LocalTensor<T> row = inQueue.AllocTensor<T>();
        const DataCopyExtParams one{1, static_cast<uint32_t>(t.columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(row, given, one, DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(row);
        row = inQueue.DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(kept, row, 0.0f, t.stride);
        } else {
            Cast(kept, row, RoundMode::CAST_NONE, t.stride);
        }
        inQueue.FreeTensor(row);
    }

    __aicore__ inline void Compute(uint32_t rows)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        LocalTensor<float> given, values; // float is computed between input and output, other types beside them
        if constexpr (std::is_same_v<T, float>) {
            given = x;
            values = y;
        } else {
            given = values = valuesBuf.Get<float>();
            Cast(values, x, RoundMode::CAST_NONE, rows * t.stride);
        }
        LocalTensor<float> square = squareBuf.Get<float>(), scalars = scalarBuf.Get<float>();
        MeanRows(scalars, given, rows);
        WithItsScalar<false>(values, given, rows); // x - mean: the variance of what is centred loses no digits
        inQueue.FreeTensor(x);
        Mul(square, values, values, rows * t.stride);
        MeanRows(scalars, square, rows);
        Adds(scalars, scalars, t.epsilon, rows);
        Sqrt(scalars, scalars, rows);
        Duplicate(square, 1.0f, rows); // Rsqrt is an estimate of nine bits: root and division are exact
        Div(scalars, square, scalars, rows);
        WithItsScalar<true>(values, values, rows);
        for (uint32_t r = 0; r < rows; ++r) {
            FusedMulAdd(values[r * t.stride], weightBuf.Get<float>(), biasBuf.Get<float>(),
                        t.columns); // values * w + b
        }
        if constexpr (!std::is_same_v<T, float>) {
            Cast(y, values, RoundMode::CAST_RINT, rows * t.stride);
        }
        outQueue.EnQue(y);
    }

    // Leave each row's mean in `scalars`. BlockReduceSum makes one number of eight at a repeat a cycle; ReduceSum takes seven.
    // Counter mode takes t.columns elements in all, so what pads a row never enters. The partial sums' rows are padded with
    // zeros, so that one instruction serves all rows.
    __aicore__ inline void MeanRows(const LocalTensor<float> &scalars, const LocalTensor<float> &values, uint32_t rows)
    {
        LocalTensor<float> partial = partialBuf.Get<float>();
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(t.columns);
        for (uint32_t r = 0; r < rows; ++r) {
            BlockReduceSum<float, false>(partial[r * t.partialStride], values[r * t.stride], 1, MASK_PLACEHOLDER, 1, 1,
                                         8);
        }
        for (uint32_t width = t.partialStride; width > REPEAT_FLOATS; width /= 8) { // 64 times a power of 8
            LocalTensor<float> shorter = partial[t.tileRows * width];
            SetVectorMask<float, MaskMode::COUNTER>(rows * width);
            BlockReduceSum<float, false>(shorter, partial, 1, MASK_PLACEHOLDER, 1, 1, 8);
            partial = shorter;
        }
        SetMaskNorm();
        ResetMask();
        WholeReduceSum<float>(scalars, partial, REPEAT_FLOATS, rows, 1, 1, 8);
        // An unsigned number cannot become a float on the device.
        Muls(scalars, scalars, 1.0f / static_cast<float>(static_cast<int32_t>(t.columns)), rows);
    }

    // Subtract each row's scalar from its row, or multiply the row by it. Strides of 0 read the block that holds the scalar
    // again and again, so it never passes through the scalar unit.
    template <bool MULTIPLY>
    __aicore__ inline void WithItsScalar(const LocalTensor<float> &to, const LocalTensor<float> &from, uint32_t rows)
    {
        LocalTensor<float> spread = spreadBuf.Get<float>();
        Brcb(spread, scalarBuf.Get<float>(), DivCeil(rows, BLOCK_FLOATS), {1, 8}); // each scalar fills one block
        const BinaryRepeatParams again{1, 1, 0, 8, 8, 0};
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(t.columns);
        for (uint32_t r = 0; r < rows; ++r) {
            const LocalTensor<float> scalar = spread[r * BLOCK_FLOATS];
            MULTIPLY ? Mul<float, false>(to[r * t.stride], from[r * t.stride], scalar, MASK_PLACEHOLDER, 1, again)
                     : Sub<float, false>(to[r * t.stride], from[r * t.stride], scalar, MASK_PLACEHOLDER, 1, again);
        }
        SetMaskNorm();
        ResetMask();
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> valuesBuf, squareBuf, weightBuf, biasBuf, partialBuf, scalarBuf, spreadBuf;
    GlobalTensor<T> xGm, weightGm, biasGm, yGm;
    LayerNormTilingData t; // what the host decided
    uint32_t count = 0; // rows of this core
};

extern "C" __global__ __aicore__ void layer_norm(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                                 GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelLayerNorm<DTYPE_X> op;
    op.Init(x, weight, bias, y, data);
    op.Process();
}
