// Kernels with a fault each, included into the test as operator repositories do; main() itself finds nothing wrong.
#include <cstdio>
#include "tikicpulib.h"

using namespace AscendC;

constexpr uint32_t kLength = 1024;

extern "C" __global__ __aicore__ void racing(GM_ADDR x, GM_ADDR z)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<half> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x), kLength);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(z), kLength);
    pipe.InitBuffer(buffer, kLength * sizeof(half));
    LocalTensor<half> v = buffer.Get<half>();
    DataCopy(v, from, kLength);
    Adds(v, v, half(1), kLength); // [race]
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(to, v, kLength);
}

extern "C" __global__ __aicore__ void overrunning(GM_ADDR x, GM_ADDR z)
{
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    GlobalTensor<half> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x), kLength);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(z), kLength);
    pipe.InitBuffer(queue, 1, kLength * sizeof(half));
    LocalTensor<half> v = queue.AllocTensor<half>();
    DataCopy(v, from, kLength);
    queue.EnQue(v);
    v = queue.DeQue<half>();
    DataCopy(to[GetBlockIdx() * kLength], v, kLength); // [overrun]
    queue.FreeTensor(v);
}

extern "C" __global__ __aicore__ void correct(GM_ADDR x, GM_ADDR z)
{
    __gm__ half *value = reinterpret_cast<__gm__ half *>(x);
    if (GetBlockIdx() == 0) {
        PRINTF("first value %g\n", static_cast<float>(*value));
    }
}

int main()
{
    auto *x = static_cast<uint8_t *>(GmAlloc(kLength * sizeof(half)));
    auto *z = static_cast<uint8_t *>(GmAlloc(kLength * sizeof(half)));
    SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(racing, 1, x, z);
    ICPU_RUN_KF(overrunning, 2, x, z);
    ICPU_RUN_KF(correct, 2, x, z);
    printf("main ends well\n");
    GmFree(x);
    GmFree(z);
    return 0;
}
