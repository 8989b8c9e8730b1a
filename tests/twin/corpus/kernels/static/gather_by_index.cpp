// Gather takes byte offsets; indices are no multiples of the element size.
// code: GATHER_OFFSET
// x: float32 64
// y: float32 8
// want: x[1:9]
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 64);
    LocalTensor<float> b(TPosition::VECOUT, 256, 8);
    LocalTensor<int32_t> index(TPosition::VECCALC, 512, 8);
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    CreateVecIndex(index, 1, 8);
    PipeBarrier<PIPE_V>();
    Muls(index, index, 4, 8); // [correct]
    PipeBarrier<PIPE_V>();
    Gather(b, a, index.ReinterpretCast<uint32_t>(), 0, 8); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 8);
}
