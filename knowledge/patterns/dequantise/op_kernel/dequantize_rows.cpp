#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;    // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t GROUP = 2048; // rows whose scales are on chip together

// y[r, c] = x[r, c] * scale[r]. int8 becomes float by way of half, which holds every int8: no Cast goes directly.
class KernelDequantizeRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR scale, GM_ADDR y, const DequantizeRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ int8_t *)x + first * t.columns);
        scaleGm.SetGlobalBuffer((__gm__ float *)scale + first);
        yGm.SetGlobalBuffer((__gm__ float *)y + first * t.columns);
        pipe.InitBuffer(inQueue, COPIES, t.tileRows * t.pitch);
        pipe.InitBuffer(scaleBuf, GROUP * sizeof(float));
        pipe.InitBuffer(outQueue, COPIES, t.tileRows * t.pitch * sizeof(float));
        pipe.InitBuffer(halfBuf, t.tileRows * t.pitch * sizeof(half));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t group = 0; group < count; group += GROUP) {
            const uint32_t end = count - group < GROUP ? count : group + GROUP;
            LoadScales(group, end - group);
            for (uint32_t row = group; row < end; row += t.tileRows) {
                const uint32_t rows = end - row < t.tileRows ? end - row : t.tileRows;
                for (uint32_t column = 0; column < t.columns; column += t.piece) { // one piece unless rows are long
                    const uint32_t length = t.columns - column < t.piece ? t.columns - column : t.piece;
                    const uint64_t at = static_cast<uint64_t>(row) * t.columns + column;
                    CopyIn(at, rows, length);
                    Compute(scaleBuf.Get<float>()[row - group], rows, length); // the scale of the tile's first row on
                    CopyOut(at, rows, length);
                }
            }
        }
    }

private:
    // Load the scales of a group of rows, so that the scalar unit waits for them once a group and not once a tile.
    __aicore__ inline void LoadScales(uint32_t group, uint32_t rows)
    {
        const event_t read = static_cast<event_t>(pipe.FetchEventID(HardEvent::S_MTE2));
        SetFlag<HardEvent::S_MTE2>(read);
        WaitFlag<HardEvent::S_MTE2>(read); // the scalar unit has read the scales of the group before
        DataCopyPad(scaleBuf.Get<float>(), scaleGm[group],
                    DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(float)), 0, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0});
        const event_t arrived = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(arrived);
        WaitFlag<HardEvent::MTE2_S>(arrived);
    }

    // Gaps between rows, here and in CopyOut: bytes in global memory, blocks of 32 bytes on chip.
    __aicore__ inline void CopyIn(uint64_t at, uint32_t rows, uint32_t length)
    {
        LocalTensor<int8_t> x = inQueue.AllocTensor<int8_t>();
        const uint32_t gap = (t.pitch - AlignUp(length, 32)) / 32;
        DataCopyPad(x, xGm[at], DataCopyExtParams{static_cast<uint16_t>(rows), length, t.columns - length, gap, 0},
                    DataCopyPadExtParams<int8_t>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(const LocalTensor<float> &scale, uint32_t rows, uint32_t length)
    {
        LocalTensor<int8_t> x = inQueue.DeQue<int8_t>();
        LocalTensor<half> between = halfBuf.Get<half>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        Cast(between, x, RoundMode::CAST_NONE, rows * t.pitch);
        inQueue.FreeTensor(x);
        Cast(y, between, RoundMode::CAST_NONE, rows * t.pitch);
        for (uint32_t r = 0; r < rows; ++r) {
            Muls(y[r * t.pitch], y[r * t.pitch], scale.GetValue(r), length);
        }
        outQueue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t rows, uint32_t length)
    {
        LocalTensor<float> y = outQueue.DeQue<float>();
        const uint32_t bytes = length * sizeof(float);
        const uint32_t gap = (t.pitch * sizeof(float) - AlignUp(bytes, 32)) / 32;
        const uint32_t rest = static_cast<uint32_t>((t.columns - length) * sizeof(float));
        DataCopyPad(yGm[at], y, DataCopyExtParams{static_cast<uint16_t>(rows), bytes, gap, rest, 0});
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> halfBuf, scaleBuf;
    GlobalTensor<int8_t> xGm;
    GlobalTensor<float> scaleGm, yGm;
    DequantizeRowsTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;         // rows of this core
};

extern "C" __global__ __aicore__ void dequantize_rows(GM_ADDR x, GM_ADDR scale, GM_ADDR y, GM_ADDR workspace,
                                                      GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelDequantizeRows op;
    op.Init(x, scale, y, data);
    op.Process();
}
