// Rows of three halves, more than a copy takes.
// code: COPY_ROWS
// x: float16 4200 3
// y: float16 4096 3
// want: x[:4096]
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 4200 * 32);
    const uint16_t batch = 4096; // [faulty]
    const uint16_t batch = 2048; // [correct]
    for (uint32_t row = 0; row < 4096; row += batch) {
        LocalTensor<half> a = queue.AllocTensor<half>();
        DataCopyPad(a, in[row * 3], DataCopyExtParams{batch, 6, 0, 0, 0}, DataCopyPadExtParams<half>{}); // [here]
        queue.EnQue(a);
        a = queue.DeQue<half>();
        DataCopyPad(out[row * 3], a, DataCopyExtParams{batch, 6, 0, 0, 0});
        queue.FreeTensor(a);
    }
}
