#include "kernel_operator.h"

using namespace AscendC;

template <typename T, bool ALIGNED> class KernelLayerNorm {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y, uint32_t rows, uint32_t perCore,
                                uint32_t columns, uint32_t padded)
    {
        const uint32_t first = perCore * GetBlockIdx();
        count = rows - first < perCore ? rows - first : perCore;
        this->columns = columns;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * columns, count * columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * columns, count * columns);
        weightGm.SetGlobalBuffer((__gm__ T *)weight, columns);
        biasGm.SetGlobalBuffer((__gm__ T *)bias, columns);
        pipe.InitBuffer(inQueue, 2, padded * sizeof(T));
        pipe.InitBuffer(outQueue, 2, padded * sizeof(T));
        pipe.InitBuffer(rawBuf, padded * sizeof(T));
        pipe.InitBuffer(weightBuf, padded * sizeof(float));
        pipe.InitBuffer(biasBuf, padded * sizeof(float));
        pipe.InitBuffer(rowBuf, padded * sizeof(float));
        pipe.InitBuffer(squareBuf, padded * sizeof(float));
        pipe.InitBuffer(workBuf, padded * sizeof(float));
        pipe.InitBuffer(scalarBuf, 32);
    }

    __aicore__ inline void Process()
    {
        Parameter(weightGm, weightBuf.Get<float>());
        Parameter(biasGm, biasBuf.Get<float>());
        for (uint32_t row = 0; row < count; ++row) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void Parameter(const GlobalTensor<T> &from, const LocalTensor<float> &to)
    {
        LocalTensor<T> raw = rawBuf.Get<T>();
        const event_t back = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_MTE2));
        SetFlag<HardEvent::V_MTE2>(back);
        WaitFlag<HardEvent::V_MTE2>(back);
        Load(raw, from);
        const event_t id = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE2_V));
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
        Widen(to, raw);
    }

    __aicore__ inline void Load(const LocalTensor<T> &to, const GlobalTensor<T> &from)
    {
        if constexpr (ALIGNED) {
            DataCopy(to, from, columns);
        } else {
            DataCopyExtParams one{1, static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
            DataCopyPad(to, from, one, DataCopyPadExtParams<T>{false, 0, 0, 0});
        }
    }

    __aicore__ inline void Widen(const LocalTensor<float> &to, const LocalTensor<T> &from)
    {
        if constexpr (std::is_same_v<T, float>) {
            Adds(to, from, 0.0f, columns);
        } else {
            Cast(to, from, RoundMode::CAST_NONE, columns);
        }
    }

    __aicore__ inline void CopyIn(uint32_t row)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        Load(x, xGm[row * columns]);
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute()
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        LocalTensor<float> row = rowBuf.Get<float>();
        LocalTensor<float> square = squareBuf.Get<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        LocalTensor<float> scalar = scalarBuf.Get<float>();
        Widen(row, x);
        ReduceSum<float>(scalar, row, work, columns);
        const float mean = Read(scalar) / columns;
        Adds(row, row, -mean, columns);
        Mul(square, row, row, columns);
        ReduceSum<float>(scalar, square, work, columns);
        const float variance = Read(scalar) / columns;
        Duplicate(scalar, variance + 1e-3f, 8);
        Sqrt(scalar, scalar, 8);
        const float deviation = Read(scalar);
        Muls(row, row, 1.0f / deviation, columns);
        Mul(row, row, weightBuf.Get<float>(), columns);
        Add(row, row, biasBuf.Get<float>(), columns);
        if constexpr (std::is_same_v<T, float>) {
            Adds(y, row, 0.0f, columns);
        } else {
            Cast(y, row, RoundMode::CAST_RINT, columns);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    __aicore__ inline float Read(const LocalTensor<float> &scalar)
    {
        const event_t id = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(id);
        WaitFlag<HardEvent::V_S>(id);
        return scalar.GetValue(0);
    }

    __aicore__ inline void CopyOut(uint32_t row)
    {
        LocalTensor<T> y = outQueue.DeQue<T>();
        DataCopyExtParams one{1, static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[row * columns], y, one);
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 2> outQueue;
    TBuf<TPosition::VECCALC> rawBuf, weightBuf, biasBuf, rowBuf, squareBuf, workBuf, scalarBuf;
    GlobalTensor<T> xGm, weightGm, biasGm, yGm;
    uint32_t count = 0;
    uint32_t columns = 0;
};

extern "C" __global__ __aicore__ void layer_norm_affine(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y,
                                                        GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    if (TILING_KEY_IS(1)) {
        KernelLayerNorm<DTYPE_X, true> op;
        op.Init(x, weight, bias, y, data.rows, data.perCore, data.columns, data.padded);
        op.Process();
    } else if (TILING_KEY_IS(2)) {
        KernelLayerNorm<DTYPE_X, false> op;
        op.Init(x, weight, bias, y, data.rows, data.perCore, data.columns, data.padded);
        op.Process();
    }
}
