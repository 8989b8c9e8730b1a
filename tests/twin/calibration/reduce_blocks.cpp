// LOOPS sums of 256 floats by BlockReduceSum three times, in counter mode.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 4096);
    LocalTensor<float> numbers = memory.Get<float>(), parts = numbers[256], sum = numbers[512];
    Duplicate(numbers, 1.0f, 1024);
    for (int i = 0; i < LOOPS; ++i) {
        SetMaskCount();
        SetVectorMask<float>(0, 256);
        BlockReduceSum<float, false>(parts, numbers, 1, MASK_PLACEHOLDER, 1, 1, 8);
        PipeBarrier<PIPE_V>();
        SetVectorMask<float>(0, 32);
        BlockReduceSum<float, false>(parts, parts, 1, MASK_PLACEHOLDER, 1, 1, 8);
        PipeBarrier<PIPE_V>();
        SetVectorMask<float>(0, 4);
        BlockReduceSum<float, false>(sum, parts, 1, MASK_PLACEHOLDER, 1, 1, 8);
        PipeBarrier<PIPE_V>();
        SetMaskNorm();
    }
}
