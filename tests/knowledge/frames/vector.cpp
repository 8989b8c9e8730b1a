// The uses of cards run here, each in a function of its own on one vector core. A line that ends in // [NAME ...] stands in a
// function whose text holds one of the names.
// ==== op_kernel/card_uses.cpp
#include "kernel_operator.h"
using namespace AscendC;

// [function]
__aicore__ inline void CARD(TPipe &pipe, TBuf<TPosition::VECCALC> &memory, GM_ADDR x_gm, GM_ADDR y_gm, GM_ADDR workspace, GM_ADDR tiling)
{
    LocalTensor<float> x = memory.GetWithOffset<float>(1024, 0);                // [x]
    LocalTensor<float> x1 = memory.GetWithOffset<float>(1024, 4096);            // [x1]
    LocalTensor<float> y = memory.GetWithOffset<float>(2048, 8192);             // [y]
    LocalTensor<half> xHalf = memory.GetWithOffset<half>(1024, 16384);          // [xHalf]
    LocalTensor<half> x1Half = memory.GetWithOffset<half>(1024, 18432);         // [x1Half]
    LocalTensor<half> yHalf = memory.GetWithOffset<half>(1024, 20480);          // [yHalf]
    LocalTensor<int32_t> xInt = memory.GetWithOffset<int32_t>(1024, 22528);     // [xInt]
    LocalTensor<int32_t> x1Int = memory.GetWithOffset<int32_t>(1024, 26624);    // [x1Int]
    LocalTensor<int32_t> yInt = memory.GetWithOffset<int32_t>(1024, 30720);     // [yInt]
    LocalTensor<int16_t> xShort = memory.GetWithOffset<int16_t>(1024, 34816);   // [xShort]
    LocalTensor<int16_t> x1Short = memory.GetWithOffset<int16_t>(1024, 36864);  // [x1Short]
    LocalTensor<int16_t> yShort = memory.GetWithOffset<int16_t>(1024, 38912);   // [yShort]
    LocalTensor<int8_t> xByte = memory.GetWithOffset<int8_t>(1024, 40960);      // [xByte]
    LocalTensor<int8_t> yByte = memory.GetWithOffset<int8_t>(1024, 41984);      // [yByte]
    LocalTensor<uint8_t> mask = memory.GetWithOffset<uint8_t>(1024, 43008);     // [mask]
    LocalTensor<uint32_t> offset = memory.GetWithOffset<uint32_t>(1024, 44032); // [offset]
    LocalTensor<bfloat16_t> xBf = memory.GetWithOffset<bfloat16_t>(1024, 48128); // [xBf]
    LocalTensor<bfloat16_t> yBf = memory.GetWithOffset<bfloat16_t>(1024, 50176); // [yBf]
    LocalTensor<uint8_t> tmp = memory.GetWithOffset<uint8_t>(65536, 53248);     // [tmp]
    GlobalTensor<float> xGm, yGm;                                               // [xGm yGm]
    xGm.SetGlobalBuffer((__gm__ float *)x_gm, 4096);                            // [xGm]
    yGm.SetGlobalBuffer((__gm__ float *)y_gm, 4096);                            // [yGm]
    SNIPPET
}
// [end]

__aicore__ inline void Begin(TPipe &pipe, TBuf<TPosition::VECCALC> &memory)
{
    pipe.Reset();
    pipe.InitBuffer(memory, 118784);
    Duplicate(memory.GetWithOffset<float>(4096, 0), 0.5f, 4096);
    Duplicate(memory.GetWithOffset<half>(3072, 16384), (half)0.5f, 3072);
    Duplicate(memory.GetWithOffset<int32_t>(3072, 22528), 1, 3072);
    Duplicate(memory.GetWithOffset<int16_t>(3072, 34816), (int16_t)1, 3072);
    Duplicate(memory.GetWithOffset<int16_t>(1536, 40960), (int16_t)0x0101, 1536);
    CreateVecIndex(memory.GetWithOffset<int32_t>(1024, 44032), 0, 1024);
    Muls(memory.GetWithOffset<int32_t>(1024, 44032), memory.GetWithOffset<int32_t>(1024, 44032), 4, 1024);
    Duplicate(memory.GetWithOffset<bfloat16_t>(2560, 48128), (bfloat16_t)0.5f, 2560);
    Duplicate(memory.GetWithOffset<int32_t>(16384, 53248), 0, 16384);
    PipeBarrier<PIPE_ALL>();
}

__aicore__ inline void End()
{
    SetAtomicNone();
    SetMaskNorm();
    ResetMask();
    PipeBarrier<PIPE_ALL>();
}

extern "C" __global__ __aicore__ void card_uses(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    if (TILING_KEY_IS(1)) {
        // [calls]
        if (data.only == -1 || data.only == NUMBER) {
            Begin(pipe, memory);
            CARD(pipe, memory, x, y, workspace, tiling);
            End();
        }
        // [end]
    }
}
