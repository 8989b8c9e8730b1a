// Reorder a matrix of 8192 by 8192 half numbers into columns of 16: 6 by 8 cores, each with DOWN by 8 tiles of 144 by 128,
// whose columns lie STRIDE blocks apart in the Unified Buffer. Double buffered.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    const uint32_t top = GetBlockIdx() / 8 * (DOWN * 144), start = GetBlockIdx() % 8 * 1024;
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    constexpr uint32_t from_size = 144 * 128, to_size = 8 * STRIDE * 16;
    pipe.InitBuffer(memory, 2 * (from_size + to_size) * 2);
    LocalTensor<half> all = memory.Get<half>();
    for (int event = 0; event < 2; ++event) {
        SetFlag<HardEvent::V_MTE2>(event);
        SetFlag<HardEvent::MTE3_V>(event);
    }
    uint32_t turn = 0;
    for (uint32_t i = 0; i < DOWN; ++i) {
        for (uint32_t j = 0; j < 8; ++j, turn ^= 1) {
            const uint32_t row = top + i * 144, column = start + j * 128;
            LocalTensor<half> a = all[turn * from_size], b = all[2 * from_size + turn * to_size];
            WaitFlag<HardEvent::V_MTE2>(turn);
            DataCopy(a, in[(uint64_t)row * 8192 + column], DataCopyParams{144, 8, 504, 0});
            SetFlag<HardEvent::MTE2_V>(turn);
            WaitFlag<HardEvent::MTE2_V>(turn);
            WaitFlag<HardEvent::MTE3_V>(turn);
            Copy(b, a, 128, 144, CopyRepeatParams{STRIDE, 1, 1, 8});
            SetFlag<HardEvent::V_MTE2>(turn);
            SetFlag<HardEvent::V_MTE3>(turn);
            WaitFlag<HardEvent::V_MTE3>(turn);
            DataCopy(out[((uint64_t)column / 16 * 8192 + row) * 16], b,
                     DataCopyParams{8, 144, STRIDE - 144, 8192 - 144});
            SetFlag<HardEvent::MTE3_V>(turn);
        }
    }
    for (int event = 0; event < 2; ++event) {
        WaitFlag<HardEvent::V_MTE2>(event);
        WaitFlag<HardEvent::MTE3_V>(event);
    }
}
