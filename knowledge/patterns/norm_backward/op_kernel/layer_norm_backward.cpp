#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t BLOCK_FLOATS = 8, REPEAT_FLOATS = 64; // in a block of 32 bytes, in a repeat of 256

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
        pipe.InitBuffer(inQueue, COPIES, 2 * t.tileRows * t.pitch * sizeof(float)); // x, and the gradient behind it
        pipe.InitBuffer(outQueue, COPIES, t.tileRows * t.pitch * sizeof(float));
        pipe.InitBuffer(centredBuf, t.tileRows * t.pitch * sizeof(float));
        pipe.InitBuffer(weightBuf, t.pitch * sizeof(float));
        pipe.InitBuffer(partialBuf, t.tileRows * t.partialPitch * 2 * sizeof(float));
        pipe.InitBuffer(scalarBuf, 3 * AlignUp(t.tileRows, BLOCK_FLOATS) * sizeof(float)); // Brcb takes eight at a time
        pipe.InitBuffer(spreadBuf, AlignUp(t.tileRows, BLOCK_FLOATS) * 32);
    }

    __aicore__ inline void Process()
    {
        Duplicate(partialBuf.Get<float>(), 0.0f, t.tileRows * t.partialPitch);
        const uint32_t bytes = t.columns * sizeof(float);
        LocalTensor<float> row = inQueue.AllocTensor<float>(); // the weights: loaded once and kept
        DataCopyPad(row, weightGm, DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
        inQueue.EnQue(row);
        row = inQueue.DeQue<float>();
        Adds(weightBuf.Get<float>(), row, 0.0f, t.columns); // a copy on chip
        inQueue.FreeTensor(row);
        // Compute issues more instructions than the vector unit's queue holds, and the scalar unit stops while it is
        // full: the next tile's copy is issued first.
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
        DataCopyPad(in[t.tileRows * t.pitch], gradGm[place], run, DataCopyPadExtParams<float>{false, 0, 0, 0});
        inQueue.EnQue(in);
    }

    __aicore__ inline void Compute(uint32_t rows)
    {
        LocalTensor<float> x = inQueue.DeQue<float>(), grad = x[t.tileRows * t.pitch];
        LocalTensor<float> centred = centredBuf.Get<float>();
        LocalTensor<float> scale = scalarBuf.Get<float>(), slope = scale[AlignUp(t.tileRows, BLOCK_FLOATS)];
        LocalTensor<float> mean = slope[AlignUp(t.tileRows, BLOCK_FLOATS)];
        LocalTensor<float> y = outQueue.AllocTensor<float>(); // holds products until the result is computed
        MeanRows(mean, x, rows);
        ApplyScalar<SUBTRACT>(centred, x, mean, rows); // c
        Mul(y, centred, centred, rows * t.pitch);
        MeanRows(scale, y, rows);
        Adds(scale, scale, t.epsilon, rows);
        Sqrt(scale, scale, rows);
        Duplicate(y, 1.0f, rows);
        Div(scale, y, scale, rows); // not Rsqrt, which has nine correct bits
        for (uint32_t r = 0; r < rows; ++r) {
            Mul(grad[r * t.pitch], grad[r * t.pitch], weightBuf.Get<float>(), t.columns); // g
        }
        Mul(y, grad, centred, rows * t.pitch);
        MeanRows(slope, y, rows); // mean(g * c)
        Mul(slope, slope, scale, rows);
        Mul(slope, slope, scale, rows);
        Muls(slope, slope, -1.0f, rows); // -scale^2 * mean(g * c)
        MeanRows(mean, grad, rows);      // mean(g)
        ApplyScalar<SUBTRACT>(grad, grad, mean, rows);
        ApplyScalar<MULTIPLY_ADD>(centred, grad, slope, rows); // c * slope + (g - mean(g))
        ApplyScalar<MULTIPLY>(y, centred, scale, rows);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
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

    // to = from - scalar, from * scalar, or to * scalar + from, row by row. Brcb fills a block with each scalar; block
    // and repeat strides of 0 read that block for the whole row. FusedMulAdd(d, a, b) is d = d * a + b: there the
    // scalar is a.
    enum Operation { SUBTRACT, MULTIPLY, MULTIPLY_ADD };
    template <Operation OP>
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
            const LocalTensor<float> of = from[r * t.pitch], result = to[r * t.pitch];
            OP == SUBTRACT   ? Sub<float, false>(result, of, scalar, MASK_PLACEHOLDER, 1, sameBlock)
            : OP == MULTIPLY ? Mul<float, false>(result, of, scalar, MASK_PLACEHOLDER, 1, sameBlock)
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
    LayerNormBackwardTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;            // rows of this core
};

extern "C" __global__ __aicore__ void layer_norm_backward(GM_ADDR grad, GM_ADDR x, GM_ADDR weight, GM_ADDR y,
                                                          GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelLayerNormBackward op;
    op.Init(grad, x, weight, y, data);
    op.Process();
}
