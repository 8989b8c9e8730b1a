// FreeTensor takes its tensor by reference: what DeQue gives has no name.
// code: WRONG_ARGUMENTS
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> a = queue.AllocTensor<float>();
    DataCopy(a, in, 64);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    DataCopy(out, a, 64);
    queue.EnQue(a);
    queue.FreeTensor(queue.DeQue<float>()); // [faulty here]
    a = queue.DeQue<float>();               // [correct]
    queue.FreeTensor(a);                    // [correct]
}
