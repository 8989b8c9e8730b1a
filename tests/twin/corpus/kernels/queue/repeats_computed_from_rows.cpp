// One block reduction for each row; with 256 rows the count no longer fits.
// code: REPEAT_RANGE
// x: float16 256 128
// y: float16 2048
// want: x.astype(np.float32).reshape(2048, 16).max(1)
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
    pipe.InitBuffer(inQueue, 1, 65536);
    pipe.InitBuffer(outQueue, 1, 4096);
    const int32_t batch = 256; // [faulty]
    const int32_t batch = 128; // [correct]
    LocalTensor<half> a = inQueue.AllocTensor<half>();
    DataCopy(a, in, 32768);
    inQueue.EnQue(a);
    a = inQueue.DeQue<half>();
    LocalTensor<half> b = outQueue.AllocTensor<half>();
    for (int32_t row = 0; row < 256; row += batch) {
        BlockReduceMax(b[row * 8], a[row * 128], batch, 128, 1, 1, 8); // [here]
    }
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<half>();
    DataCopy(out, b, 2048);
    outQueue.FreeTensor(b);
}
