#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

// For each row: step = max(max(|x|), 1e-6) / 127 and quantized = int8(round(x / step)), ties to even.
class KernelDynamicQuantizeRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR quantized, GM_ADDR step, const DynamicQuantizeRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ float *)x + first * t.columns);
        quantizedGm.SetGlobalBuffer((__gm__ int8_t *)quantized + first * t.columns);
        stepGm.SetGlobalBuffer((__gm__ float *)step + first);
        pipe.InitBuffer(inQueue, COPIES, t.padded * sizeof(float));
        pipe.InitBuffer(outQueue, COPIES, t.padded);
        pipe.InitBuffer(stepQueue, COPIES, 32);
        pipe.InitBuffer(valueBuf, t.padded * sizeof(float));
        pipe.InitBuffer(halfBuf, t.padded * sizeof(half));
        pipe.InitBuffer(partialBuf, t.padded / 8 * 2 * sizeof(float)); // block maxima, and ReduceMax's work
        pipe.InitBuffer(spreadBuf, 8 * 32);                            // Brcb spreads eight numbers; one is used
    }

    __aicore__ inline void Process()
    {
        for (uint32_t row = 0; row < count; ++row) {
            const uint64_t at = static_cast<uint64_t>(row) * t.columns;
            LocalTensor<float> x = inQueue.AllocTensor<float>();
            DataCopyPad(x, xGm[at], DataCopyExtParams{1, static_cast<uint32_t>(t.columns * sizeof(float)), 0, 0, 0},
                        DataCopyPadExtParams<float>{false, 0, 0, 0});
            inQueue.EnQue(x);
            Compute();
            LocalTensor<int8_t> quantized = outQueue.DeQue<int8_t>();
            DataCopyPad(quantizedGm[at], quantized, DataCopyExtParams{1, t.columns, 0, 0, 0});
            outQueue.FreeTensor(quantized);
            LocalTensor<float> step = stepQueue.DeQue<float>();
            DataCopyPad(stepGm[row], step, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
            stepQueue.FreeTensor(step);
        }
    }

private:
    __aicore__ inline void Compute()
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> value = valueBuf.Get<float>(), spread = spreadBuf.Get<float>();
        LocalTensor<float> largest = spread; // the same buffer, until Brcb fills it
        LocalTensor<float> step = stepQueue.AllocTensor<float>();
        Abs(value, x, t.columns);
        Duplicate(step, 127.0f, 8); // the divisor, in all eight floats that Brcb reads below
        FindLargest(largest, value);
        Maxs(largest, largest, 1e-6f, 1); // rows of smaller magnitude, as of zeros, have the step 1e-6 / 127
        Div(step, largest, step, 1);
        Brcb(spread, step, 1, {1, 8}); // fills the first block with the step
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(t.columns);
        // Block and repeat strides of 0 read that block for the whole row; counter mode takes t.columns elements.
        Div<float, false>(value, x, spread, MASK_PLACEHOLDER, 1, {1, 1, 0, 8, 8, 0});
        SetMaskNorm();
        ResetMask();
        inQueue.FreeTensor(x);
        stepQueue.EnQue(step);
        LocalTensor<int8_t> quantized = outQueue.AllocTensor<int8_t>();
        LocalTensor<half> between = halfBuf.Get<half>();
        Cast(value, value, RoundMode::CAST_RINT, t.columns);   // to whole numbers, ties to even
        Cast(between, value, RoundMode::CAST_NONE, t.columns); // exact: at most 127
        Cast(quantized, between, RoundMode::CAST_NONE, t.columns);
        outQueue.EnQue(quantized);
    }

    // BlockReduceMax reduces blocks of eight floats at one repeat a cycle; ReduceMax, at seven, gets their maxima.
    __aicore__ inline void FindLargest(const LocalTensor<float> &to, const LocalTensor<float> &value)
    {
        LocalTensor<float> partial = partialBuf.Get<float>();
        const uint32_t blocks = DivCeil(t.columns, 8);
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(t.columns);
        BlockReduceMax<float, false>(partial, value, 1, MASK_PLACEHOLDER, 1, 1, 8);
        SetMaskNorm();
        ResetMask();
        ReduceMax<float>(to, partial, partial[t.padded / 8], blocks, false);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue, stepQueue;
    TBuf<TPosition::VECCALC> valueBuf, halfBuf, partialBuf, spreadBuf;
    GlobalTensor<float> xGm, stepGm;
    GlobalTensor<int8_t> quantizedGm;
    DynamicQuantizeRowsTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;              // rows of this core
};

extern "C" __global__ __aicore__ void dynamic_quantize_rows(GM_ADDR x, GM_ADDR quantized, GM_ADDR step,
                                                            GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelDynamicQuantizeRows op;
    op.Init(x, quantized, step, data);
    op.Process();
}
