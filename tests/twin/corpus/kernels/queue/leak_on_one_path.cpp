// One path of the loop does not give its tile back.
// warning: TENSOR_LEAK
// x: float32 128
// zeroed: yes
// want: np.where(np.arange(128) < 64, x, 0)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
    pipe.InitBuffer(queue, 2, 256);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> a = queue.AllocTensor<float>(); // [faulty here]
        LocalTensor<float> a = queue.AllocTensor<float>(); // [correct]
        if (i == 1) {
            queue.FreeTensor(a); // [correct]
            continue;
        }
        DataCopy(a, in[i * 64], 64);
        queue.EnQue(a);
        a = queue.DeQue<float>();
        DataCopy(out[i * 64], a, 64);
        queue.FreeTensor(a);
    }
}
