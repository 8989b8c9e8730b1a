// z = x + y on half numbers: each core takes TILES tiles of TILE elements through queues of BUFFERS buffers.
// PAST: the inputs, read once, pass by the second-level cache.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    const uint32_t share = TILES * TILE, total = share * GetBlockNum();
    GlobalTensor<half> in0, in1, out;
    in0.SetGlobalBuffer((__gm__ half *)x + share * GetBlockIdx());
    in1.SetGlobalBuffer((__gm__ half *)x + total + share * GetBlockIdx());
    out.SetGlobalBuffer((__gm__ half *)y + share * GetBlockIdx());
#if PAST
    in0.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    in1.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
#endif
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> qx, qy;
    TQue<QuePosition::VECOUT, 1> qz;
    pipe.InitBuffer(qx, BUFFERS, TILE * 2);
    pipe.InitBuffer(qy, BUFFERS, TILE * 2);
    pipe.InitBuffer(qz, BUFFERS, TILE * 2);
    for (uint32_t i = 0; i < TILES; ++i) {
        LocalTensor<half> a = qx.AllocTensor<half>(), b = qy.AllocTensor<half>();
        DataCopy(a, in0[i * TILE], TILE);
        DataCopy(b, in1[i * TILE], TILE);
        qx.EnQue(a);
        qy.EnQue(b);
        a = qx.DeQue<half>();
        b = qy.DeQue<half>();
        LocalTensor<half> c = qz.AllocTensor<half>();
        Add(c, a, b, TILE);
        qz.EnQue(c);
        qx.FreeTensor(a);
        qy.FreeTensor(b);
        c = qz.DeQue<half>();
        DataCopy(out[i * TILE], c, TILE);
        qz.FreeTensor(c);
    }
}
