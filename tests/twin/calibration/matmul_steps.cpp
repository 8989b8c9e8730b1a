// STEPS products of 64x64 by 64x64 half numbers on one cube core, one buffer each: loads and products take turns.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if ASCEND_IS_AIC {
        GlobalTensor<half> in;
        in.SetGlobalBuffer((__gm__ half *)x);
        TPipe pipe;
        TBuf<TPosition::A1> near;
        TBuf<TPosition::A2> left;
        TBuf<TPosition::B2> right;
        TBuf<TPosition::CO1> result;
        pipe.InitBuffer(near, 2 * 8192);
        pipe.InitBuffer(left, 8192);
        pipe.InitBuffer(right, 8192);
        pipe.InitBuffer(result, 16384);
        LocalTensor<half> a1 = near.Get<half>(), b1 = a1[4096], a2 = left.Get<half>(), b2 = right.Get<half>();
        LocalTensor<float> c = result.Get<float>();
        DataCopy(a1, in, Nd2NzParams{1, 64, 64, 0, 64, 64, 1, 0});
        DataCopy(b1, in[4096], Nd2NzParams{1, 64, 64, 0, 64, 64, 1, 0});
        SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        SetFlag<HardEvent::M_MTE1>(EVENT_ID0);
        MmadParams product;
        product.m = product.n = product.k = 64;
        for (uint32_t i = 0; i < STEPS; ++i) {
            product.cmatrixInitVal = i == 0;
            WaitFlag<HardEvent::M_MTE1>(EVENT_ID0);
            for (uint32_t row = 0; row < 4; ++row) {
                LoadData(a2[row * 1024], a1, LoadData2DParams{(uint16_t)row, 4, 4, 0, 0, false, 0});
            }
            for (uint32_t k = 0; k < 4; ++k) {
                LoadData(b2[k * 1024], b1, LoadData2DParams{(uint16_t)k, 4, 4, 0, 0, true, 0});
            }
            SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
            WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
            Mmad(c, a2, b2, product);
            SetFlag<HardEvent::M_MTE1>(EVENT_ID0);
        }
        WaitFlag<HardEvent::M_MTE1>(EVENT_ID0);
    }
}
