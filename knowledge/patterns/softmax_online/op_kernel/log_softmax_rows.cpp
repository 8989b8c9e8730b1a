#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;  // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t PIECES = 4; // in a load: the lanes' sums are rescaled once for all of them
// A lane's maximum before its first element, below every row's. With minus infinity x - max would be NaN.
constexpr float LOWEST = -3.0e38f;

// y = x - max(x) - log(sum(exp(x - max(x)))) for rows of any length. Lane i takes elements i, i + piece, ...
template <typename T> class KernelLogSoftmaxRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const LogSoftmaxRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.columns);
        load = PIECES * t.piece;
        pipe.InitBuffer(inQueue, COPIES, load * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, load * sizeof(T));
        pipe.InitBuffer(maxBuf, t.piece * sizeof(float));
        pipe.InitBuffer(sumBuf, t.piece * sizeof(float));
        pipe.InitBuffer(workBuf, t.piece * sizeof(float));
        if constexpr (!std::is_same_v<T, float>) {
            pipe.InitBuffer(valueBuf, load * sizeof(float));
        }
        pipe.InitBuffer(numberBuf, 64 * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t row = 0; row < count; ++row) {
            const uint64_t start = static_cast<uint64_t>(row) * t.columns;
            Duplicate(maxBuf.Get<float>(), LOWEST, t.piece);
            Duplicate(sumBuf.Get<float>(), 0.0f, t.piece);
            for (uint32_t at = 0; at < t.columns; at += load) {
                Accumulate(start + at, t.columns - at < load ? t.columns - at : load);
            }
            Fold();
            for (uint32_t at = 0; at < t.columns; at += load) {
                Write(start + at, t.columns - at < load ? t.columns - at : load);
            }
        }
    }

private:
    __aicore__ inline LocalTensor<T> Load(uint64_t at, uint32_t length)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        DataCopyPad(x, xGm[at], DataCopyExtParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
        return inQueue.DeQue<T>();
    }

    // Add a load to the lanes' maxima and sums: max' = max(max, x), sum' = sum * exp(max - max') + sum of exp(x -
    // max').
    __aicore__ inline void Accumulate(uint64_t at, uint32_t length)
    {
        LocalTensor<T> x = Load(at, length);
        LocalTensor<float> largest = maxBuf.Get<float>(), sum = sumBuf.Get<float>();
        LocalTensor<float> old = workBuf.Get<float>(), value;
        if constexpr (std::is_same_v<T, float>) {
            value = x; // computed in place
        } else {
            value = valueBuf.Get<float>();
            Cast(value, x, RoundMode::CAST_NONE, length);
        }
        Adds(old, largest, 0.0f, t.piece); // a copy on chip
        for (uint32_t p = 0; p < length; p += t.piece) {
            Max(largest, largest, value[p], length - p < t.piece ? length - p : t.piece);
        }
        Sub(old, old, largest, t.piece);
        Exp(old, old, t.piece);
        Mul(sum, sum, old, t.piece);
        for (uint32_t p = 0; p < length; p += t.piece) {
            Sub(value[p], value[p], largest, length - p < t.piece ? length - p : t.piece);
        }
        Exp(value, value, length);
        for (uint32_t p = 0; p < length; p += t.piece) {
            Add(sum, sum, value[p], length - p < t.piece ? length - p : t.piece);
        }
        inQueue.FreeTensor(x);
    }

    // Rescale the lanes' sums to the row's maximum and add them.
    __aicore__ inline void Fold()
    {
        LocalTensor<float> largest = maxBuf.Get<float>(), sum = sumBuf.Get<float>();
        LocalTensor<float> work = workBuf.Get<float>(), number = numberBuf.Get<float>();
        ReduceMax<float>(number, largest, work, t.piece, false);
        top = Read(number);
        Adds(largest, largest, -top, t.piece);
        Exp(largest, largest, t.piece);
        Mul(sum, sum, largest, t.piece);
        ReduceSum<float>(number, sum, work, t.piece);
        Ln(number, number, 1);
        logOfSum = Read(number);
    }

    // Read a scalar that the vector unit wrote. The scalar unit waits for it, twice a row: little for a long row.
    __aicore__ inline float Read(const LocalTensor<float> &number)
    {
        const event_t written = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(written);
        WaitFlag<HardEvent::V_S>(written);
        return number.GetValue(0);
    }

    // The second pass over the row. The maximum is subtracted first: where x is large, x - max(x) is small and exact.
    __aicore__ inline void Write(uint64_t at, uint32_t length)
    {
        LocalTensor<T> x = Load(at, length);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(y, x, -top, length);
            Adds(y, y, -logOfSum, length);
        } else {
            LocalTensor<float> value = valueBuf.Get<float>();
            Cast(value, x, RoundMode::CAST_NONE, length);
            Adds(value, value, -top, length);
            Adds(value, value, -logOfSum, length);
            Cast(y, value, RoundMode::CAST_RINT, length);
        }
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
        y = outQueue.DeQue<T>();
        DataCopyPad(yGm[at], y, DataCopyExtParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0});
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> maxBuf, sumBuf, workBuf, valueBuf, numberBuf; // the first three: one float for each lane
    GlobalTensor<T> xGm, yGm;
    LogSoftmaxRowsTilingData t;        // the tiling data: the host's header describes its fields
    uint32_t count = 0, load = 0;      // rows of this core, elements of a transfer
    float top = 0.0f, logOfSum = 0.0f; // of the row
};

extern "C" __global__ __aicore__ void log_softmax_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelLogSoftmaxRows<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
