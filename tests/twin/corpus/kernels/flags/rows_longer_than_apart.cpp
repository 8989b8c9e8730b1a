// Sum is told of rows of 40 elements that lie 32 apart.
// code: VECTOR_COUNT
// x: float32 2 32
// y: float32 8
// want: np.pad(x.sum(1), (0, 6))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> bufA, bufB, bufT;
    pipe.InitBuffer(bufA, 256);
    pipe.InitBuffer(bufB, 32);
    pipe.InitBuffer(bufT, 4096);
    LocalTensor<float> a = bufA.Get<float>(), b = bufB.Get<float>();
    LocalTensor<uint8_t> work = bufT.Get<uint8_t>();
    const uint32_t used = 40; // [faulty]
    const uint32_t used = 32; // [correct]
    DataCopy(a, in, 64);
    Duplicate(b, 0.0f, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Sum(b, a, work, {2, 32, used}); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 8);
}
