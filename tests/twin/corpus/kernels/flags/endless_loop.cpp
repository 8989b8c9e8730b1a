// A loop whose step is zero.
// code: TIMEOUT
// x: float32 64
// timeout: 2
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    volatile uint32_t step = 0; // [faulty]
    volatile uint32_t step = 64; // [correct]
    for (uint32_t i = 0; i < 64; i += step) {
        DataCopy(a, in, 64); // [here]
        PipeBarrier<PIPE_ALL>(); // [here]
    }
    DataCopy(out, a, 64);
}
