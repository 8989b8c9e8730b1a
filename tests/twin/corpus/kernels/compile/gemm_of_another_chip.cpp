// A product of two tensors in L1, with the call of chips before this one.
// code: OTHER_CHIP
// x: float16 16 16
// y: float32 16 16
// want: x.astype(np.float32) @ x.astype(np.float32)
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
    LocalTensor<float> c(TPosition::CO1, 0, 256);
    DataCopy(a1, in, 256);
    DataCopy(b1, in, 256);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    GemmTiling cut = GetGemmTiling<half>(16, 16, 16); // [faulty here]
    Gemm(c, a1, b1, 16, 16, 16, cut, false, 0); // [faulty]
    LocalTensor<half> a2(TPosition::A2, 0, 256); // [correct]
    LocalTensor<half> b2(TPosition::B2, 0, 256); // [correct]
    LoadData2DParams plain; // [correct]
    plain.repeatTimes = 1; // [correct]
    LoadData2DParams turned = plain; // [correct]
    turned.ifTranspose = true; // [correct]
    LoadData(a2, a1, plain); // [correct]
    LoadData(b2, b1, turned); // [correct]
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0); // [correct]
    MmadParams shape(16, 16, 16, 0, false, true); // [correct]
    Mmad(c, a2, b2, shape); // [correct]
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    Fixpipe<float, float, CFG_ROW_MAJOR>(out, c, FixpipeParamsV220(16, 16, 16, 16, false));
}
