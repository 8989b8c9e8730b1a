// Two tensors are selected with the mode for a scalar.
// code: SELECT_MODE
// x: float16 128
// want: np.where(x < 0, -x, x)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<> minus, mask;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    pipe.InitBuffer(minus, 256);
    pipe.InitBuffer(mask, 32);
    LocalTensor<half> a = inQueue.AllocTensor<half>();
    DataCopy(a, in, 128);
    inQueue.EnQue(a);
    a = inQueue.DeQue<half>();
    LocalTensor<half> b = outQueue.AllocTensor<half>(), c = minus.Get<half>();
    LocalTensor<uint8_t> bits = mask.Get<uint8_t>();
    Muls(c, a, half(-1.0f), 128);
    CompareScalar(bits, a, half(0.0f), CMPMODE::LT, 128);
    const SELMODE mode = SELMODE::VSEL_TENSOR_SCALAR_MODE; // [faulty]
    const SELMODE mode = SELMODE::VSEL_TENSOR_TENSOR_MODE; // [correct]
    Select(b, bits, c, a, mode, 128); // [here]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<half>();
    DataCopy(out, b, 128);
    outQueue.FreeTensor(b);
}
