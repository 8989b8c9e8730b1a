#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: the next tile arrives while this one is computed

// y = x / (1 + exp(-x)).
template <typename T> class KernelSilu {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint64_t total, uint64_t perCore, uint32_t tileLength)
    {
        const uint64_t begin = perCore * GetBlockIdx();
        length = total - begin < perCore ? total - begin : perCore; // the last core takes what is left
        tile = tileLength;
        xGm.SetGlobalBuffer((__gm__ T *)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ T *)y + begin, length);
        pipe.InitBuffer(inQueue, COPIES, tile * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, tile * sizeof(T));
        pipe.InitBuffer(valueBuf, tile * sizeof(float));
        pipe.InitBuffer(denomBuf, tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint64_t at = 0; at < length; at += tile) {
            const uint32_t count = static_cast<uint32_t>(length - at < tile ? length - at : tile);
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t count)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        DataCopyExtParams row{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(x, xGm[at], row, DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        LocalTensor<float> value = valueBuf.Get<float>();
        LocalTensor<float> denom = denomBuf.Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(value, x, 0.0f, count); // a copy on chip
        } else {
            Cast(value, x, RoundMode::CAST_NONE, count); // 16-bit types are computed in float
        }
        Muls(denom, value, -1.0f, count);
        Exp(denom, denom, count);
        Adds(denom, denom, 1.0f, count);
        if constexpr (std::is_same_v<T, float>) {
            Div(y, value, denom, count);
        } else {
            Div(value, value, denom, count);
            Cast(y, value, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count)
    {
        LocalTensor<T> y = outQueue.DeQue<T>();
        DataCopyExtParams row{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[at], y, row);
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> valueBuf, denomBuf;
    GlobalTensor<T> xGm, yGm;
    uint64_t length = 0;
    uint32_t tile = 0;
};

extern "C" __global__ __aicore__ void silu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelSilu<DTYPE_X> op;
    op.Init(x, y, data.total, data.perCore, data.tileLength);
    op.Process();
}
