// The offset of the last tile is computed with the wrong tile length.
// code: GM_OVERRUN
// x: float32 2048
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
    pipe.InitBuffer(queue, 2, 2048);
    const uint32_t step = 1024; // [faulty]
    const uint32_t step = 512; // [correct]
    for (uint32_t i = 0; i < 4; ++i) {
        LocalTensor<float> a = queue.AllocTensor<float>();
        DataCopy(a, in[i * step], 512); // [here]
        queue.EnQue(a);
        a = queue.DeQue<float>();
        DataCopy(out[i * 512], a, 512);
        queue.FreeTensor(a);
    }
}
