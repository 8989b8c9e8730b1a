// A queue has no method of that name.
// code: UNKNOWN_MEMBER
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    LocalTensor<float> a = queue.AllocTensor<float>();
    DataCopy(a, in, 8);
    queue.Push(a); // [faulty here]
    queue.EnQue(a); // [correct]
    a = queue.DeQue<float>();
    DataCopy(out, a, 8);
    queue.FreeTensor(a);
}
