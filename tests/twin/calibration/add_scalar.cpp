// COUNT sums of two half numbers, one at a time through the scalar unit.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 3 * 8192);
    LocalTensor<half> a = memory.Get<half>(), b = a[4096], c = a[8192];
    for (int i = 0; i < COUNT; ++i) {
        const float sum = (float)a.GetValue(i % 4096) + (float)b.GetValue(i % 4096);
        c.SetValue(i % 4096, (half)sum);
    }
}
