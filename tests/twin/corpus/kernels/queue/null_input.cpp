// The kernel reads an optional input that the call does not have.
// code: NULL_POINTER
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GM_ADDR absent = nullptr;
    const float scale = absent == nullptr ? 1.0f : *(__gm__ float *)absent; // [correct]
    const float scale = ((volatile __gm__ float *)absent)[0]; // [faulty here]
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    LocalTensor<float> a = queue.AllocTensor<float>();
    DataCopy(a, in, 8);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    if (scale == 1.0f) {
        DataCopy(out, a, 8);
    }
    queue.FreeTensor(a);
}
