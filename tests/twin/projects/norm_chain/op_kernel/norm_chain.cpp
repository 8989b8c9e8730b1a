#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void norm_chain(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    constexpr uint32_t size = 8 * 8 * 32;
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x, size);
    out.SetGlobalBuffer((__gm__ float *)y, size);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<> ones, zeros, mean, variance, group, deep, batch, root, layer, turn;
    pipe.InitBuffer(inQueue, 1, size * sizeof(float));
    pipe.InitBuffer(outQueue, 1, size * sizeof(float));
    pipe.InitBuffer(ones, 1024);
    pipe.InitBuffer(zeros, size * sizeof(float));
    pipe.InitBuffer(mean, 1024);
    pipe.InitBuffer(variance, 1024);
    pipe.InitBuffer(group, t.groupBytes);
    pipe.InitBuffer(deep, t.deepBytes);
    pipe.InitBuffer(batch, t.batchBytes);
    pipe.InitBuffer(root, t.rootBytes);
    pipe.InitBuffer(layer, t.layerBytes);
    pipe.InitBuffer(turn, t.turnBytes);
    LocalTensor<float> one = ones.Get<float>(), zero = zeros.Get<float>();
    LocalTensor<float> m = mean.Get<float>(), v = variance.Get<float>();
    Duplicate(one, 1.0f, 256);
    Duplicate(zero, 0.0f, size);

    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, size);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    GroupNorm(b, m, v, a, one, zero, group.Get<uint8_t>(), 1e-5f, t.groupTiling);
    DeepNorm(a, m, v, b, zero, zero, one, deep.Get<uint8_t>(), 2.0f, 1e-5f, t.deepTiling);
    BatchNorm(b, m, v, a, one, zero, batch.Get<uint8_t>(), 1e-5f, t.batchTiling);
    RmsNorm(a, b, one, root.Get<uint8_t>(), 1e-5f, t.rootTiling);
    LayerNormPara para = {64, 32, 32};
    LayerNorm<float, float>(b, m, v, a, one, zero, 1e-5f, layer.Get<uint8_t>(), para, t.layerTiling);
    Transpose(a, b, turn.Get<uint8_t>(), TransposeType::TRANSPOSE_ND2ND_ONLY, t.turnTiling);
    Adds(b, a, 0.0f, size);
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, size);
    outQueue.FreeTensor(b);
}
