// Two kernels with plain arguments: max(x, 0) * factor, and x + y.
#include "kernel_operator.h"
#include "launches.h"
#include "platform/platform_ascendc.h"

constexpr int64_t TILE = 1024;

template <typename T> __global__ __aicore__ void scaled(GM_ADDR x, GM_ADDR y, int64_t count, float factor)
{
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out;
    AscendC::GlobalTensor<T> from, to;
    pipe.InitBuffer(in, 2, TILE * sizeof(T));
    pipe.InitBuffer(out, 2, TILE * sizeof(T));
    from.SetGlobalBuffer((__gm__ T *)x, count);
    to.SetGlobalBuffer((__gm__ T *)y, count);
    for (int64_t at = AscendC::GetBlockIdx() * TILE; at < count; at += AscendC::GetBlockNum() * TILE) {
        const int64_t n = count - at < TILE ? count - at : TILE;
        const AscendC::DataCopyExtParams row{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
        const AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        auto a = in.AllocTensor<T>();
        AscendC::DataCopyPad(a, from[at], row, pad);
        in.EnQue(a);
        a = in.DeQue<T>();
        auto b = out.AllocTensor<T>();
        AscendC::Maxs(b, a, static_cast<T>(0), static_cast<int32_t>(n));
        AscendC::Muls(b, b, static_cast<T>(factor), static_cast<int32_t>(n));
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<T>();
        AscendC::DataCopyPad(to[at], b, row);
        out.FreeTensor(b);
    }
}

__global__ __aicore__ void sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t count)
{
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> more;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out;
    AscendC::GlobalTensor<float> first, second, to;
    pipe.InitBuffer(in, 2, TILE * sizeof(float));
    pipe.InitBuffer(more, 2, TILE * sizeof(float));
    pipe.InitBuffer(out, 2, TILE * sizeof(float));
    first.SetGlobalBuffer((__gm__ float *)x, count);
    second.SetGlobalBuffer((__gm__ float *)y, count);
    to.SetGlobalBuffer((__gm__ float *)z, count);
    for (int64_t at = AscendC::GetBlockIdx() * TILE; at < count; at += AscendC::GetBlockNum() * TILE) {
        const int64_t n = count - at < TILE ? count - at : TILE;
        const AscendC::DataCopyExtParams row{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
        const AscendC::DataCopyPadExtParams<float> pad{false, 0, 0, 0};
        auto a = in.AllocTensor<float>();
        auto b = more.AllocTensor<float>();
        AscendC::DataCopyPad(a, first[at], row, pad);
        AscendC::DataCopyPad(b, second[at], row, pad);
        in.EnQue(a);
        more.EnQue(b);
        a = in.DeQue<float>();
        b = more.DeQue<float>();
        auto c = out.AllocTensor<float>();
        AscendC::Add(c, a, b, static_cast<int32_t>(n));
        out.EnQue(c);
        in.FreeTensor(a);
        more.FreeTensor(b);
        c = out.DeQue<float>();
        AscendC::DataCopyPad(to[at], c, row);
        out.FreeTensor(c);
    }
}

static uint32_t blocks(int64_t count)
{
    const int64_t cores = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv();
    const int64_t tiles = (count + TILE - 1) / TILE;
    return static_cast<uint32_t>(tiles < cores ? (tiles > 0 ? tiles : 1) : cores);
}

void launch_scaled(int kind, void *x, void *y, int64_t count, float factor, void *stream)
{
    if (kind == 0) {
        scaled<float><<<blocks(count), nullptr, stream>>>((GM_ADDR)x, (GM_ADDR)y, count, factor);
    } else {
        scaled<half><<<blocks(count), nullptr, stream>>>((GM_ADDR)x, (GM_ADDR)y, count, factor);
    }
}

void launch_sum(void *x, void *y, void *z, int64_t count, void *stream)
{
    sum<<<blocks(count), nullptr, stream>>>((GM_ADDR)x, (GM_ADDR)y, (GM_ADDR)z, count);
}
