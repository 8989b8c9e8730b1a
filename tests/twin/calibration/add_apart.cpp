// z = x + y on half numbers, double buffered; x, y and z of a round lie one behind the other, so that the operands
// of an Add fall into different bank groups. The inputs, read once, pass by the second-level cache.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    const uint32_t share = TILES * TILE, total = share * GetBlockNum();
    GlobalTensor<half> in0, in1, out;
    in0.SetGlobalBuffer((__gm__ half *)x + share * GetBlockIdx());
    in1.SetGlobalBuffer((__gm__ half *)x + total + share * GetBlockIdx());
    out.SetGlobalBuffer((__gm__ half *)y + share * GetBlockIdx());
    in0.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    in1.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> qx[2], qy[2];
    TQue<QuePosition::VECOUT, 1> qz[2];
    for (int k = 0; k < 2; ++k) {
        pipe.InitBuffer(qx[k], 1, TILE * 2);
        pipe.InitBuffer(qy[k], 1, TILE * 2);
        pipe.InitBuffer(qz[k], 1, TILE * 2);
    }
    for (uint32_t i = 0; i < TILES; ++i) {
        const int k = i % 2;
        LocalTensor<half> a = qx[k].AllocTensor<half>(), b = qy[k].AllocTensor<half>();
        DataCopy(a, in0[i * TILE], TILE);
        DataCopy(b, in1[i * TILE], TILE);
        qx[k].EnQue(a);
        qy[k].EnQue(b);
        a = qx[k].DeQue<half>();
        b = qy[k].DeQue<half>();
        LocalTensor<half> c = qz[k].AllocTensor<half>();
        Add(c, a, b, TILE);
        qz[k].EnQue(c);
        qx[k].FreeTensor(a);
        qy[k].FreeTensor(b);
        c = qz[k].DeQue<half>();
        DataCopy(out[i * TILE], c, TILE);
        qz[k].FreeTensor(c);
    }
}
