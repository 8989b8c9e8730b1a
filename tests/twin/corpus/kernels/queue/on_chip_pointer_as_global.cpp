// A global tensor is set to a local tensor's address.
// code: WRONG_MEMORY
// x: float32 64
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
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> a = queue.AllocTensor<float>();
    in.SetGlobalBuffer((__gm__ float *)a.GetPhyAddr()); // [faulty]
    DataCopy(a, in, 64); // [here]
    queue.EnQue(a);
    a = queue.DeQue<float>();
    DataCopy(out, a, 64);
    queue.FreeTensor(a);
}
