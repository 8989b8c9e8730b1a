#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;

template <typename T> class KernelSoftmaxRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint64_t rows, uint64_t perCore, uint32_t columns, uint32_t padded)
    {
        const uint64_t first = perCore * GetBlockIdx();
        count = rows - first < perCore ? rows - first : perCore;
        this->columns = columns;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * columns, count * columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * columns, count * columns);
        pipe.InitBuffer(inQueue, COPIES, padded * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, padded * sizeof(T));
        pipe.InitBuffer(rowBuf, padded * sizeof(float));
        pipe.InitBuffer(workBuf, padded * sizeof(float));
        pipe.InitBuffer(scalarBuf, 32);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t row = 0; row < count; ++row) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t row)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        DataCopyExtParams one{1, static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(x, xGm[row * columns], one, DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute()
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        LocalTensor<float> row = rowBuf.Get<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        LocalTensor<float> scalar = scalarBuf.Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(row, x, 0.0f, columns);
        } else {
            Cast(row, x, RoundMode::CAST_NONE, columns);
        }
        ReduceMax<float>(scalar, row, work, columns, false);
        const float largest = Read(scalar);
        Adds(row, row, -largest, columns); // every exponent is at most zero: no overflow
        Exp(row, row, columns);
        ReduceSum<float>(scalar, row, work, columns);
        const float sum = Read(scalar);
        if constexpr (std::is_same_v<T, float>) {
            Muls(y, row, 1.0f / sum, columns);
        } else {
            Muls(row, row, 1.0f / sum, columns);
            Cast(y, row, RoundMode::CAST_RINT, columns);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    // Read a scalar that the vector unit wrote: the scalar unit waits for it.
    __aicore__ inline float Read(const LocalTensor<float> &scalar)
    {
        const event_t id = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(id);
        WaitFlag<HardEvent::V_S>(id);
        return scalar.GetValue(0);
    }

    __aicore__ inline void CopyOut(uint64_t row)
    {
        LocalTensor<T> y = outQueue.DeQue<T>();
        DataCopyExtParams one{1, static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[row * columns], y, one);
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> rowBuf, workBuf, scalarBuf;
    GlobalTensor<T> xGm, yGm;
    uint64_t count = 0;
    uint32_t columns = 0;
};

extern "C" __global__ __aicore__ void softmax_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelSoftmaxRows<DTYPE_X> op;
    op.Init(x, y, data.rows, data.perCore, data.columns, data.padded);
    op.Process();
}
