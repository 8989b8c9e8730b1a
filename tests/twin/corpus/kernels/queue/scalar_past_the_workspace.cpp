// More user workspace is used than the tiling function asked for.
// code: GM_OVERRUN
// x: float32 64
// workspace: 256
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GlobalTensor<float> user;
    user.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace));
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    const uint32_t at = 4096; // [faulty]
    const uint32_t at = 0; // [correct]
    LocalTensor<float> a = queue.AllocTensor<float>();
    DataCopy(a, in, 64);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    DataCopy(user[at], a, 64); // [here]
    DataCopy(out, a, 64);
    queue.FreeTensor(a);
}
