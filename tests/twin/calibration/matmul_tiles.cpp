// C = A B, half to float, K = 8192: each of 4x6 cube cores makes one tile of 128x256. L1 and L0 are double buffered.
// K goes over the same PANEL columns again and again: in the whole problem a line of A or B comes from memory once and is
// read dozens of times, so that one tile of many must find nearly all in the second-level cache.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TM = 128, TN = 256, TK = 64, STAGE = 256, K = 8192, PANEL = 1024, ACROSS = 6, N = ACROSS * TN;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if ASCEND_IS_AIC {
        const uint32_t down = GetBlockIdx() / ACROSS, across = GetBlockIdx() % ACROSS;
        GlobalTensor<half> a, b;
        GlobalTensor<float> out;
        a.SetGlobalBuffer((__gm__ half *)x + down * TM * PANEL);
        b.SetGlobalBuffer((__gm__ half *)x + 4 * TM * PANEL + across * TN);
        out.SetGlobalBuffer((__gm__ float *)y + down * TM * N + across * TN);
        TPipe pipe;
        TBuf<TPosition::A1> near;
        TBuf<TPosition::A2> left;
        TBuf<TPosition::B2> right;
        TBuf<TPosition::CO1> result;
        pipe.InitBuffer(near, 2 * (TM + TN) * STAGE * 2);
        pipe.InitBuffer(left, 2 * TM * TK * 2);
        pipe.InitBuffer(right, 2 * TN * TK * 2);
        pipe.InitBuffer(result, TM * TN * 4);
        LocalTensor<half> l1 = near.Get<half>(), l0a = left.Get<half>(), l0b = right.Get<half>();
        LocalTensor<float> c = result.Get<float>();
        MmadParams product;
        product.m = TM;
        product.n = TN;
        product.k = TK;
        for (int event = 0; event < 2; ++event) {
            SetFlag<HardEvent::MTE1_MTE2>(event);
            SetFlag<HardEvent::M_MTE1>(event);
        }
        uint32_t step = 0;
        for (uint32_t stage = 0; stage < K / STAGE; ++stage) {
            const int half_ = stage % 2;
            const uint32_t from = stage % (PANEL / STAGE) * STAGE;
            LocalTensor<half> a1 = l1[half_ * (TM + TN) * STAGE], b1 = a1[TM * STAGE];
            WaitFlag<HardEvent::MTE1_MTE2>(half_);
            DataCopy(a1, a[from], Nd2NzParams{1, TM, STAGE, 0, PANEL, TM, 1, 0});
            DataCopy(b1, b[from * N], Nd2NzParams{1, STAGE, TN, 0, N, STAGE, 1, 0});
            SetFlag<HardEvent::MTE2_MTE1>(half_);
            WaitFlag<HardEvent::MTE2_MTE1>(half_);
            for (uint32_t k = 0; k < STAGE / TK; ++k, ++step) {
                const int buffer = step % 2;
                LocalTensor<half> a2 = l0a[buffer * TM * TK], b2 = l0b[buffer * TN * TK];
                WaitFlag<HardEvent::M_MTE1>(buffer);
                for (uint32_t row = 0; row < TM / 16; ++row) {
                    const uint16_t first = k * (TK / 16) * (TM / 16) + row;
                    LoadData(a2[row * TK * 16], a1, LoadData2DParams{first, TK / 16, TM / 16, 0, 0, false, 0});
                }
                for (uint32_t deep = 0; deep < TK / 16; ++deep) {
                    const uint16_t first = k * (TK / 16) + deep;
                    LoadData(b2[deep * TN * 16], b1, LoadData2DParams{first, TN / 16, STAGE / 16, 0, 0, true, 0});
                }
                SetFlag<HardEvent::MTE1_M>(buffer);
                WaitFlag<HardEvent::MTE1_M>(buffer);
                product.cmatrixInitVal = step == 0;
                Mmad(c, a2, b2, product);
                SetFlag<HardEvent::M_MTE1>(buffer);
            }
            SetFlag<HardEvent::MTE1_MTE2>(half_);
        }
        SetFlag<HardEvent::M_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
        FixpipeParamsV220 fix;
        fix.nSize = TN;
        fix.mSize = TM;
        fix.srcStride = TM;
        fix.dstStride = N;
        Fixpipe(out, c, fix);
        for (int event = 0; event < 2; ++event) {
            WaitFlag<HardEvent::MTE1_MTE2>(event);
            WaitFlag<HardEvent::M_MTE1>(event);
        }
    }
}
