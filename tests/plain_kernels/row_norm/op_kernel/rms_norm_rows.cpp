#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;

template <typename T> class KernelRmsNormRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR y, uint64_t rows, uint64_t perCore, uint32_t columns,
                                uint32_t padded, float epsilon)
    {
        const uint64_t first = perCore * GetBlockIdx();
        count = rows - first < perCore ? rows - first : perCore;
        this->columns = columns;
        this->epsilon = epsilon;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * columns, count * columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * columns, count * columns);
        weightGm.SetGlobalBuffer((__gm__ T *)weight, columns);
        pipe.InitBuffer(inQueue, COPIES, padded * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, padded * sizeof(T));
        pipe.InitBuffer(weightQueue, 1, padded * sizeof(T));
        pipe.InitBuffer(weightBuf, padded * sizeof(float));
        pipe.InitBuffer(rowBuf, padded * sizeof(float));
        pipe.InitBuffer(workBuf, padded * sizeof(float));
        pipe.InitBuffer(scalarBuf, 32);
    }

    __aicore__ inline void Process()
    {
        LoadWeight();
        for (uint64_t row = 0; row < count; ++row) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void LoadWeight()
    {
        LocalTensor<T> weight = weightQueue.AllocTensor<T>();
        Load(weight, weightGm);
        weightQueue.EnQue(weight);
        weight = weightQueue.DeQue<T>();
        Widen(weightBuf.Get<float>(), weight);
        weightQueue.FreeTensor(weight);
    }

    __aicore__ inline void CopyIn(uint64_t row)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        Load(x, xGm[row * columns]);
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute()
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        LocalTensor<float> weight = weightBuf.Get<float>();
        LocalTensor<float> row = rowBuf.Get<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        LocalTensor<float> scalar = scalarBuf.Get<float>();
        Widen(row, x);
        Mul(work, row, row, columns);
        ReduceSum<float>(scalar, work, work, columns);
        Muls(scalar, scalar, 1.0f / static_cast<float>(static_cast<int32_t>(columns)), 1);
        Adds(scalar, scalar, epsilon, 1);
        Sqrt(scalar, scalar, 1);
        const float root = Read(scalar);
        Muls(row, row, 1.0f / root, columns);
        if constexpr (std::is_same_v<T, float>) {
            Mul(y, row, weight, columns);
        } else {
            Mul(row, row, weight, columns);
            Cast(y, row, RoundMode::CAST_RINT, columns);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint64_t row)
    {
        LocalTensor<T> y = outQueue.DeQue<T>();
        DataCopyExtParams one{1, static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[row * columns], y, one);
        outQueue.FreeTensor(y);
    }

    __aicore__ inline void Load(const LocalTensor<T> &to, const GlobalTensor<T> &from)
    {
        DataCopyExtParams one{1, static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(to, from, one, DataCopyPadExtParams<T>{false, 0, 0, 0});
    }

    __aicore__ inline void Widen(const LocalTensor<float> &to, const LocalTensor<T> &from)
    {
        if constexpr (std::is_same_v<T, float>) {
            Adds(to, from, 0.0f, columns);
        } else {
            Cast(to, from, RoundMode::CAST_NONE, columns);
        }
    }

    // Read a scalar that the vector unit wrote: the scalar unit waits for it.
    __aicore__ inline float Read(const LocalTensor<float> &scalar)
    {
        const event_t id = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(id);
        WaitFlag<HardEvent::V_S>(id);
        return scalar.GetValue(0);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECIN, 1> weightQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> weightBuf, rowBuf, workBuf, scalarBuf;
    GlobalTensor<T> xGm, weightGm, yGm;
    uint64_t count = 0;
    uint32_t columns = 0;
    float epsilon = 0.0f;
};

extern "C" __global__ __aicore__ void rms_norm_rows(GM_ADDR x, GM_ADDR weight, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelRmsNormRows<DTYPE_X> op;
    op.Init(x, weight, y, data.rows, data.perCore, data.columns, data.padded, data.epsilon);
    op.Process();
}
