// The left padding is given in bytes; it counts elements.
// code: COPY_PADDING
// x: float16 2 14
// y: float16 2 16
// want: np.pad(x, ((0, 0), (2, 0)))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 128);
    const uint8_t left = 18 * sizeof(half); // [faulty]
    const uint8_t left = 2; // [correct]
    LocalTensor<half> a = queue.AllocTensor<half>();
    DataCopyExtParams params{2, 28, 0, 0, 0};
    DataCopyPad(a, in, params, DataCopyPadExtParams<half>{true, left, 0, half(0)}); // [here]
    queue.EnQue(a);
    a = queue.DeQue<half>();
    DataCopy(out, a, 32);
    queue.FreeTensor(a);
}
