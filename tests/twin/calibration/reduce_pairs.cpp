// LOOPS sums of 256 floats, by FIRST and then WholeReduceSum, in counter mode.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 4096);
    LocalTensor<float> numbers = memory.Get<float>(), parts = numbers[256], sum = numbers[512];
    Duplicate(numbers, 1.0f, 512);
    for (int i = 0; i < LOOPS; ++i) {
        SetMaskCount();
        SetVectorMask<float>(0, 256);
        FIRST<float, false>(parts, numbers, MASK_PLACEHOLDER, 1, 1, 1, 8);
        PipeBarrier<PIPE_V>();
        SetVectorMask<float>(0, PARTS);
        WholeReduceSum<float, false>(sum, parts, MASK_PLACEHOLDER, 1, 1, 1, 8);
        PipeBarrier<PIPE_V>();
        SetMaskNorm();
    }
}
