// A function makes a pipe for its working memory while the kernel's own is in use.
// warning: PIPE_TWICE
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe other, pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    TBuf<TPosition::VECCALC> work;
    pipe.InitBuffer(work, 256);
    other.InitBuffer(queue, 1, 256); // [faulty here]
    pipe.InitBuffer(queue, 1, 256); // [correct]
    LocalTensor<float> a = queue.AllocTensor<float>();
    DataCopy(a, in, 64);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    DataCopy(out, a, 64);
    queue.FreeTensor(a);
}
