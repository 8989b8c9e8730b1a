#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: one moves while the other is computed
constexpr uint32_t BLOCK_FLOATS = 8, REPEAT_FLOATS = 64; // in a block of 32 bytes, and in a repeat

// The gradient of layer normalization by its input. With c = x - mean(x), g = grad * weight and
// scale = 1 / sqrt(mean(c * c) + epsilon): y = (g - mean(g) - c * scale * scale * mean(g * c)) * scale.
class KernelLayerNormBackward {
public:
    __aicore__ inline void Init(GM_ADDR grad, GM_ADDR x, GM_ADDR weight, GM_ADDR y,
                                const LayerNormBackwardTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        gradGm.SetGlobalBuffer((__gm__ float *)grad + first * t.columns);
        xGm.SetGlobalBuffer((__gm__ float *)x + first * t.columns);
        yGm.SetGlobalBuffer((__gm__ float *)y + first * t.columns);
        weightGm.SetGlobalBuffer((__gm__ float *)weight);
        pipe.InitBuffer(inQueue, COPIES, 2 * t.tileRows * t.stride * sizeof(float)); // x, and the gradient behind it
        pipe.InitBuffer(outQueue, COPIES, t.tileRows * t.stride * sizeof(float));
        pipe.InitBuffer(centredBuf, t.tileRows * t.stride * sizeof(float));
        pipe.InitBuffer(weightBuf, t.stride * sizeof(float));
        pipe.InitBuffer(partialBuf, t.tileRows * t.partialStride * 2 * sizeof(float));
        pipe.InitBuffer(scalarBuf, 3 * AlignUp(t.tileRows, BLOCK_FLOATS) * sizeof(float)); // Brcb takes eight at a time
        pipe.InitBuffer(spreadBuf, AlignUp(t.tileRows, BLOCK_FLOATS) * 32);
    }

    __aicore__ inline void Process()
    {
        Duplicate(partialBuf.Get<float>(), 0.0f, t.tileRows * t.partialStride);
        const uint32_t bytes = t.columns * sizeof(float);
        LocalTensor<float> row = inQueue.AllocTensor<float>(); // the weights come in through the rows' queue, and stay
        DataCopyPad(row, weightGm, DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
        inQueue.EnQue(row);
        row = inQueue.DeQue<float>();
        Adds(weightBuf.Get<float>(), row, 0.0f, t.columns);
        inQueue.FreeTensor(row);
        // The scalar unit issues in order: the next tile is asked for before this one's many instructions fill its queue.
        CopyIn(0);
        for (uint32_t at = 0; at < count; at += t.tileRows) {
            if (at + t.tileRows < count) {
                CopyIn(at + t.tileRows);
            }
            const uint16_t rows = count - at < t.tileRows ? count - at : t.tileRows;
            Compute(rows);
            LocalTensor<float> y = outQueue.DeQue<float>();
            DataCopyPad(yGm[static_cast<uint64_t>(at) * t.columns], y, DataCopyExtParams{rows, bytes, 0, 0, 0});
            outQueue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at)
    {
        const uint16_t rows = count - at < t.tileRows ? count - at : t.tileRows;
        const DataCopyExtParams run{rows, static_cast<uint32_t>(t.columns * sizeof(float)), 0, 0, 0};
        const uint64_t place = static_cast<uint64_t>(at) * t.columns;
        LocalTensor<float> in = inQueue.AllocTensor<float>();
        DataCopyPad(in, xGm[place], run, DataCopyPadExtParams<float>{false, 0, 0, 0});
        DataCopyPad(in[t.tileRows * t.stride], gradGm[place], run, DataCopyPadExtParams<float>{false, 0, 0, 0});
        inQueue.EnQue(in);
    }

    __aicore__ inline void Compute(uint32_t rows)
    {
        LocalTensor<float> x = inQueue.DeQue<float>(), grad = x[t.tileRows * t.stride];
        LocalTensor<float> centred = centredBuf.Get<float>();
        LocalTensor<float> scale = scalarBuf.Get<float>(), scalar = scale[AlignUp(t.tileRows, BLOCK_FLOATS)];
        LocalTensor<float> mean = scalar[AlignUp(t.tileRows, BLOCK_FLOATS)];
        LocalTensor<float> y = outQueue.AllocTensor<float>(); // holds products until the result is computed
        MeanRows(scalar, x, rows);
        WithItsScalar<SUBTRACT>(centred, x, scalar, rows);
        Mul(y, centred, centred, rows * t.stride);
        MeanRows(scale, y, rows);
        Adds(scale, scale, 1e-5f, rows); // the operator's epsilon
        Sqrt(scale, scale, rows);
        Duplicate(y, 1.0f, rows);
        Div(scale, y, scale, rows);
        for (uint32_t r = 0; r < rows; ++r) {
            Mul(grad[r * t.stride], grad[r * t.stride], weightBuf.Get<float>(), t.columns); // g
        }
        Mul(y, grad, centred, rows * t.stride);
        MeanRows(scalar, y, rows); // mean(g * c)
        Mul(scalar, scalar, scale, rows);
        Mul(scalar, scalar, scale, rows);
        Muls(scalar, scalar, -1.0f, rows);
        MeanRows(mean, grad, rows);
        WithItsScalar<SUBTRACT>(grad, grad, mean, rows);
        WithItsScalar<MULTIPLY_ADD>(centred, grad, scalar, rows);
        WithItsScalar<MULTIPLY>(y, centred, scale, rows);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    // Leave each row's mean in `scalars`. BlockReduceSum makes one number of eight at a repeat a cycle; ReduceSum takes seven.
    // Counter mode leaves out what pads a row; the partial sums' rows are padded with zeros, so one instruction serves all.
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

    // to = from - scalar, from * scalar, or to * scalar + from, by rows. Strides of 0 read one block again and again.
    enum Operation { SUBTRACT, MULTIPLY, MULTIPLY_ADD };
    template <Operation OP>
    __aicore__ inline void WithItsScalar(const LocalTensor<float> &to, const LocalTensor<float> &from,
                                         const LocalTensor<float> &scalars, uint32_t rows)
    {
        LocalTensor<float> spread = spreadBuf.Get<float>();
        Brcb(spread, scalars, DivCeil(rows, BLOCK_FLOATS), {1, 8}); // each scalar fills one block
        const BinaryRepeatParams again{1, 1, 0, 8, 8, 0};
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(t.columns);
        for (uint32_t r = 0; r < rows; ++r) {
            const LocalTensor<float> scalar = spread[r * BLOCK_FLOATS];
            const LocalTensor<float> of = from[r * t.stride], result = to[r * t.stride];
            OP == SUBTRACT   ? Sub<float, false>(result, of, scalar, MASK_PLACEHOLDER, 1, again)
            : OP == MULTIPLY ? Mul<float, false>(result, of, scalar, MASK_PLACEHOLDER, 1, again)
                             : FusedMulAdd<float, false>(result, scalar, of, MASK_PLACEHOLDER, 1, {1, 0, 1, 8, 0, 8});
        }
        SetMaskNorm();
        ResetMask();
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> centredBuf, weightBuf, partialBuf, scalarBuf, spreadBuf;
    GlobalTensor<float> gradGm, xGm, weightGm, yGm;
    LayerNormBackwardTilingData t; // what the host decided
    uint32_t count = 0; // rows of this core
};

extern "C" __global__ __aicore__ void layer_norm_backward(GM_ADDR grad, GM_ADDR x, GM_ADDR weight, GM_ADDR y,
                                                          GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelLayerNormBackward op;
    op.Init(grad, x, weight, y, data);
    op.Process();
}
