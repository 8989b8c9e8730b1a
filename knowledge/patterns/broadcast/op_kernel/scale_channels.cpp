#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

// y[n, c, :] = x[n, c, :] * scale[c]. A row is the plane of one image and channel.
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
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(valuesBuf, t.tileRows * t.pitch * sizeof(float));
        }
        pipe.InitBuffer(scaleQueue, 1, AlignUp(t.channels, 16) * sizeof(T));
        pipe.InitBuffer(scaleBuf, AlignUp(t.channels, 16) * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        LoadScales();
        for (uint32_t row = 0; row < count; row += t.tileRows) {
            const uint32_t rows = count - row < t.tileRows ? count - row : t.tileRows;
            for (uint32_t column = 0; column < t.columns; column += t.piece) { // one piece unless rows are long
                const uint32_t length = t.columns - column < t.piece ? t.columns - column : t.piece;
                const uint64_t at = static_cast<uint64_t>(row) * t.columns + column;
                const uint32_t bytes = length * sizeof(T);
                // Gaps between rows: bytes in global memory, blocks of 32 bytes on chip.
                const uint32_t gapGm = static_cast<uint32_t>((t.columns - length) * sizeof(T));
                const uint32_t gapUb = (t.pitch * sizeof(T) - AlignUp(bytes, 32)) / 32;
                LocalTensor<T> x = inQueue.AllocTensor<T>();
                DataCopyPad(x, xGm[at], DataCopyExtParams{static_cast<uint16_t>(rows), bytes, gapGm, gapUb, 0},
                            DataCopyPadExtParams<T>{false, 0, 0, 0});
                inQueue.EnQue(x);
                Compute(row, rows, length);
                LocalTensor<T> y = outQueue.DeQue<T>();
                DataCopyPad(yGm[at], y, DataCopyExtParams{static_cast<uint16_t>(rows), bytes, gapUb, gapGm, 0});
                outQueue.FreeTensor(y);
            }
        }
    }

private:
    // Keep all scales on chip as float: the scalar unit reads them there and hands them to Muls.
    __aicore__ inline void LoadScales()
    {
        LocalTensor<T> given = scaleQueue.AllocTensor<T>();
        DataCopyPad(given, scaleGm, DataCopyExtParams{1, static_cast<uint32_t>(t.channels * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        scaleQueue.EnQue(given);
        given = scaleQueue.DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(scaleBuf.Get<float>(), given, 0.0f, t.channels); // a copy on chip
        } else {
            Cast(scaleBuf.Get<float>(), given, RoundMode::CAST_NONE, t.channels);
        }
        scaleQueue.FreeTensor(given);
        const event_t written = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(written);
        WaitFlag<HardEvent::V_S>(written); // once: no later vector instruction writes the scales
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
            Cast(to, x, RoundMode::CAST_NONE, rows * t.pitch);
        }
        LocalTensor<float> scales = scaleBuf.Get<float>();
        // One instruction for each row: with rows of a few hundred elements the scalar unit is the limit.
        uint32_t channel = (first + row) % t.channels;
        for (uint32_t r = 0; r < rows; ++r) {
            Muls(to[r * t.pitch], from[r * t.pitch], scales.GetValue(channel), length);
            channel = channel + 1 == t.channels ? 0 : channel + 1;
        }
        if constexpr (!std::is_same_v<T, float>) {
            Cast(y, to, RoundMode::CAST_RINT, rows * t.pitch);
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
    ScaleChannelsTilingData t;     // the tiling data: the host's header describes its fields
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
