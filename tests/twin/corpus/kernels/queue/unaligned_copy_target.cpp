// The second row starts in the middle of a block.
// code: UB_ALIGNMENT
// x: float16 2 20
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    const uint32_t row = 20; // [faulty]
    const uint32_t row = 32; // [correct]
    LocalTensor<half> a = queue.AllocTensor<half>();
    DataCopyPad(a, in, DataCopyExtParams{1, 40, 0, 0, 0}, DataCopyPadExtParams<half>{});
    DataCopyPad(a[row], in[20], DataCopyExtParams{1, 40, 0, 0, 0}, DataCopyPadExtParams<half>{}); // [here]
    queue.EnQue(a);
    a = queue.DeQue<half>();
    DataCopyPad(out, a, DataCopyExtParams{1, 40, 0, 0, 0});
    DataCopyPad(out[20], a[row], DataCopyExtParams{1, 40, 0, 0, 0});
    queue.FreeTensor(a);
}
