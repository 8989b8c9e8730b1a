#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;      // of each transfer buffer: one moves while the other is computed
constexpr uint32_t AT_ONCE = 4;    // pieces that are loaded together: the lanes' sums shrink once for all of them
constexpr float LOWEST = -3.0e38f; // of a lane that has seen nothing: minus infinity would make NaN of its differences

// The logarithm of softmax for rows of any length: y = x - max - log(sum(exp(x - max))).
template <typename T> class KernelLogSoftmaxRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const LogSoftmaxRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.columns);
        load = AT_ONCE * t.piece;
        pipe.InitBuffer(inQueue, COPIES, load * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, load * sizeof(T));
        for (uint32_t i = 0; i < 3; ++i) {
            pipe.InitBuffer(rowBuf[i], t.piece * sizeof(float));
        }
        if constexpr (!std::is_same_v<T, float>) {
            pipe.InitBuffer(valueBuf, load * sizeof(float));
        }
        pipe.InitBuffer(numberBuf, 64 * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t row = 0; row < count; ++row) {
            const uint64_t start = static_cast<uint64_t>(row) * t.columns;
            Duplicate(rowBuf[MAX].Get<float>(), LOWEST, t.piece);
            Duplicate(rowBuf[SUM].Get<float>(), 0.0f, t.piece);
            for (uint32_t at = 0; at < t.columns; at += load) {
                Take(start + at, t.columns - at < load ? t.columns - at : load);
            }
            Fold();
            for (uint32_t at = 0; at < t.columns; at += load) {
                Emit(start + at, t.columns - at < load ? t.columns - at : load);
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

    // Some more elements for each lane: a larger maximum shrinks the lane's sum by exp(old - new), once for all of them.
    __aicore__ inline void Take(uint64_t at, uint32_t length)
    {
        LocalTensor<T> x = Load(at, length);
        LocalTensor<float> largest = rowBuf[MAX].Get<float>(), sum = rowBuf[SUM].Get<float>();
        LocalTensor<float> old = rowBuf[OTHER].Get<float>(), value;
        if constexpr (std::is_same_v<T, float>) {
            value = x; // its own place serves for what follows
        } else {
            value = valueBuf.Get<float>();
            Cast(value, x, RoundMode::CAST_NONE, length);
        }
        Adds(old, largest, 0.0f, t.piece);
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

    // Bring all lanes to the row's maximum and add their sums.
    __aicore__ inline void Fold()
    {
        LocalTensor<float> largest = rowBuf[MAX].Get<float>(), sum = rowBuf[SUM].Get<float>();
        LocalTensor<float> work = rowBuf[OTHER].Get<float>(), number = numberBuf.Get<float>();
        ReduceMax<float>(number, largest, work, t.piece, false);
        top = Read(number);
        Adds(largest, largest, -top, t.piece);
        Exp(largest, largest, t.piece);
        Mul(sum, sum, largest, t.piece);
        ReduceSum<float>(number, sum, work, t.piece);
        Ln(number, number, 1);
        logOfSum = Read(number);
    }

    // The scalar unit waits for the vector unit here: twice for each row, which long rows hardly notice.
    __aicore__ inline float Read(const LocalTensor<float> &number)
    {
        const event_t written = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(written);
        WaitFlag<HardEvent::V_S>(written);
        return number.GetValue(0);
    }

    __aicore__ inline void Emit(uint64_t at, uint32_t length)
    {
        LocalTensor<T> x = Load(at, length);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(y, x, -top, length); // first: of large values the difference alone is exact
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

    static constexpr uint32_t MAX = 0, SUM = 1, OTHER = 2; // what the rows of float hold, one number for each lane
    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> rowBuf[3], valueBuf, numberBuf;
    GlobalTensor<T> xGm, yGm;
    LogSoftmaxRowsTilingData t;        // what the host decided
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
