#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: one moves while the other is computed

// Every channel of an image batch times its own scale: y[n, c, :] = x[n, c, :] * scale[c].
template <typename T> class KernelScaleChannels {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR scale, GM_ADDR y, const ScaleChannelsTilingData &tiling)
    {
        t = tiling;
        first = t.perCore * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + static_cast<uint64_t>(first) * t.columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + static_cast<uint64_t>(first) * t.columns);
        scaleGm.SetGlobalBuffer((__gm__ T *)scale);
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.stride * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, t.tileRows * t.stride * sizeof(T));
        pipe.InitBuffer(valuesBuf, std::is_same_v<T, float> ? 32 : t.tileRows * t.stride * sizeof(float));
        pipe.InitBuffer(scaleQueue, 1, AlignUp(t.channels, 16) * sizeof(T));
        pipe.InitBuffer(scaleBuf, AlignUp(t.channels, 16) * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        LoadScales();
        for (uint32_t row = 0; row < count; row += t.tileRows) {
            const uint32_t rows = count - row < t.tileRows ? count - row : t.tileRows;
            for (uint32_t column = 0; column < t.columns; column += t.piece) { // once, unless rows are long
                const uint32_t length = t.columns - column < t.piece ? t.columns - column : t.piece;
                const uint64_t at = static_cast<uint64_t>(row) * t.columns + column;
                const uint32_t bytes = length * sizeof(T);
                const uint32_t rest =
                    static_cast<uint32_t>((t.columns - length) * sizeof(T));           // to the next row's start
                const uint32_t gap = (t.stride * sizeof(T) - AlignUp(bytes, 32)) / 32; // the same on chip, in blocks
                LocalTensor<T> x = inQueue.AllocTensor<T>();
                DataCopyPad(x, xGm[at], DataCopyExtParams{static_cast<uint16_t>(rows), bytes, rest, gap, 0},
                            DataCopyPadExtParams<T>{false, 0, 0, 0});
                inQueue.EnQue(x);
                Compute(row, rows, length);
                LocalTensor<T> y = outQueue.DeQue<T>();
                DataCopyPad(yGm[at], y, DataCopyExtParams{static_cast<uint16_t>(rows), bytes, gap, rest, 0});
                outQueue.FreeTensor(y);
            }
        }
    }

private:
    // Keep the scales as float, where the scalar unit reads them.
    __aicore__ inline void LoadScales()
    {
        LocalTensor<T> given = scaleQueue.AllocTensor<T>();
        DataCopyPad(given, scaleGm, DataCopyExtParams{1, static_cast<uint32_t>(t.channels * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        scaleQueue.EnQue(given);
        given = scaleQueue.DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(scaleBuf.Get<float>(), given, 0.0f, t.channels);
        } else {
            Cast(scaleBuf.Get<float>(), given, RoundMode::CAST_NONE, t.channels);
        }
        scaleQueue.FreeTensor(given);
        const event_t written = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(written);
        WaitFlag<HardEvent::V_S>(written); // the only time that the scalar unit waits for the vector unit
    }

    __aicore__ inline void Compute(uint32_t row, uint32_t rows, uint32_t length)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        LocalTensor<float> from, to;
        if constexpr (std::is_same_v<T, float>) {
            from = x;
            to = y;
        } else {
            from = to = valuesBuf.Get<float>();
            Cast(to, x, RoundMode::CAST_NONE, rows * t.stride);
        }
        LocalTensor<float> scales = scaleBuf.Get<float>();
        uint32_t channel = (first + row) % t.channels;
        for (uint32_t r = 0; r < rows; ++r) {
            Muls(to[r * t.stride], from[r * t.stride], scales.GetValue(channel), length);
            channel = channel + 1 == t.channels ? 0 : channel + 1;
        }
        if constexpr (!std::is_same_v<T, float>) {
            Cast(y, to, RoundMode::CAST_RINT, rows * t.stride);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECIN, 1> scaleQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> valuesBuf, scaleBuf;
    GlobalTensor<T> xGm, scaleGm, yGm;
    ScaleChannelsTilingData t; // what the host decided
    uint32_t first = 0, count = 0; // rows of this core
};

extern "C" __global__ __aicore__ void scale_channels(GM_ADDR x, GM_ADDR scale, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelScaleChannels<DTYPE_X> op;
    op.Init(x, scale, y, data);
    op.Process();
}
