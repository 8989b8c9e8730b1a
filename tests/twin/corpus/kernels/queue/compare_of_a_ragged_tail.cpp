// The comparison of two tensors gets the tail's length.
// warning: COMPARE_COUNT
// x: float16 2 128
// y: uint8 32
// want: np.pad(np.packbits(x[0] < x[1], bitorder="little"), (0, 16))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in;
    GlobalTensor<uint8_t> out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ uint8_t *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 512);
    pipe.InitBuffer(outQueue, 1, 32);
    LocalTensor<half> a = inQueue.AllocTensor<half>();
    DataCopy(a, in, 256);
    inQueue.EnQue(a);
    a = inQueue.DeQue<half>();
    LocalTensor<uint8_t> b = outQueue.AllocTensor<uint8_t>();
    Duplicate(b.ReinterpretCast<int32_t>(), 0, 8);
    Compare(b, a, a[128], CMPMODE::LT, 100); // [faulty here]
    Compare(b, a, a[128], CMPMODE::LT, 128); // [correct]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<uint8_t>();
    DataCopy(out, b, 32);
    outQueue.FreeTensor(b);
}
