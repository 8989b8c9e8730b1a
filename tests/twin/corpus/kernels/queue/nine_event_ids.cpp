// Nine tiles are in flight between two pipes that have eight event ids.
// warning: EVENT_IDS_EXHAUSTED
// x: float32 72
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    constexpr int together = 9; // [faulty]
    constexpr int together = 8; // [correct]
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, together> queue;
    pipe.InitBuffer(queue, together, 32);
    for (int done = 0; done < 9; done += together) {
        const int now = done + together < 9 ? together : 9 - done;
        for (int i = 0; i < now; ++i) {
            LocalTensor<float> a = queue.AllocTensor<float>();
            DataCopy(a, in[(done + i) * 8], 8);
            queue.EnQue(a); // [here]
        }
        for (int i = 0; i < now; ++i) {
            LocalTensor<float> a = queue.DeQue<float>();
            DataCopy(out[(done + i) * 8], a, 8);
            queue.FreeTensor(a);
        }
    }
}
