// The same on one cube core.
// ==== op_kernel/card_uses.cpp
#include "kernel_operator.h"
using namespace AscendC;

// [function]
__aicore__ inline void CARD(TPipe &pipe, GM_ADDR x_gm, GM_ADDR y_gm)
{
    GlobalTensor<half> xGm;                                   // [xGm a1 b1 a2 b2 product]
    GlobalTensor<float> yGm;                                  // [yGm]
    xGm.SetGlobalBuffer((__gm__ half *)x_gm, 8192);           // [xGm a1 b1 a2 b2 product]
    yGm.SetGlobalBuffer((__gm__ float *)y_gm, 4096);          // [yGm]
    LocalTensor<half> a1(TPosition::A1, 0, 1024);             // [a1 a2 b2 product]
    LocalTensor<half> b1(TPosition::B1, 8192, 1024);          // [b1 a2 b2 product]
    LocalTensor<half> a2(TPosition::A2, 0, 1024);             // [a2 b2 product]
    LocalTensor<half> b2(TPosition::B2, 0, 1024);             // [a2 b2 product]
    LocalTensor<float> c(TPosition::CO1, 4096, 1024);         // [c]
    LocalTensor<float> product(TPosition::CO1, 0, 256);       // [product]
    DataCopy(a1, xGm, 1024);                                  // [a1 a2 b2 product]
    DataCopy(b1, xGm, 1024);                                  // [b1 a2 b2 product]
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);                 // [a1 b1 a2 b2 product]
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);                // [a1 b1 a2 b2 product]
    LoadData(a2, a1, LoadData2DParams(0, 4, 1, 0, 0, false, 0)); // [a2 b2 product]
    LoadData(b2, b1, LoadData2DParams(0, 4, 1, 0, 0, true, 0));  // [a2 b2 product]
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);                    // [a2 b2 product]
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);                   // [a2 b2 product]
    Mmad(product, a2, b2, MmadParams(16, 16, 16, 0, false, true)); // [product]
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);                     // [product]
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);                    // [product]
    SNIPPET
}
// [end]

extern "C" __global__ __aicore__ void card_uses(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    if (TILING_KEY_IS(1)) {
        // [calls]
        if (data.only == -1 || data.only == NUMBER) {
            CARD(pipe, x, y);
            PipeBarrier<PIPE_ALL>();
        }
        // [end]
    }
}
