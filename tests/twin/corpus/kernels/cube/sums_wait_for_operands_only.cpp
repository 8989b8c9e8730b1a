// Waiting for the operands of a small product does not wait for the one that it is added to.
// warning: MMAD_BARRIER
// x: float16 16 16
// y: float32 16 16
// want: 2 * (x.astype(np.float32) @ x.astype(np.float32))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<half> in;
    GlobalTensor<float> out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<half> a1(TPosition::A1, 0, 256);
    LocalTensor<half> b1(TPosition::B1, 1024, 256);
    LocalTensor<half> a2(TPosition::A2, 0, 256), a3(TPosition::A2, 512, 256);
    LocalTensor<half> b2(TPosition::B2, 0, 256);
    LocalTensor<float> c(TPosition::CO1, 0, 256);
    DataCopy(a1, in, 256);
    DataCopy(b1, in, 256);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    LoadData2DParams plain;
    plain.repeatTimes = 1;
    LoadData2DParams turned = plain;
    turned.ifTranspose = true;
    LoadData(a2, a1, plain);
    LoadData(a3, a1, plain);
    LoadData(b2, b1, turned);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    MmadParams shape;
    shape.m = 16;
    shape.n = 16;
    shape.k = 16;
    shape.cmatrixInitVal = true;
    Mmad(c, a2, b2, shape);
    PipeBarrier<PIPE_M>(); // [correct]
    SetFlag<HardEvent::MTE1_M>(EVENT_ID1);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID1);
    shape.cmatrixInitVal = false;
    Mmad(c, a3, b2, shape); // [here]
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsV220 leave;
    leave.nSize = 16;
    leave.mSize = 16;
    leave.srcStride = 16;
    leave.dstStride = 16;
    Fixpipe<float, float, CFG_ROW_MAJOR>(out, c, leave);
}
