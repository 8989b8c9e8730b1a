// z = x + y on half numbers: each core takes TILES tiles of TILE elements; copies in, Add and copy out take turns, as
// the published times of the pipes, which together are less than the whole, say.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    const uint32_t share = TILES * TILE, total = share * GetBlockNum();
    GlobalTensor<half> in0, in1, out;
    in0.SetGlobalBuffer((__gm__ half *)x + share * GetBlockIdx());
    in1.SetGlobalBuffer((__gm__ half *)x + total + share * GetBlockIdx());
    out.SetGlobalBuffer((__gm__ half *)y + share * GetBlockIdx());
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 3 * TILE * 2);
    LocalTensor<half> a = memory.Get<half>(), b = a[TILE], c = a[2 * TILE];
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    for (uint32_t i = 0; i < TILES; ++i) {
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        DataCopy(a, in0[i * TILE], TILE);
        DataCopy(b, in1[i * TILE], TILE);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Add(c, a, b, TILE);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out[i * TILE], c, TILE);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
}
