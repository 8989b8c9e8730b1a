#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;   // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t REPEAT = 64; // floats in a repeat of 256 bytes
constexpr float LOWEST = -__builtin_inff(); // of the border: never larger than an element

// y[p, r, s] = max of x[p, 2 r + i - 1, 2 s + j - 1] over i, j = 0, 1, 2. Elements outside of x are minus infinity.
template <typename T> class KernelMaxPool2d {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const MaxPool2dTilingData &tiling)
    {
        t = tiling;
        xGm.SetGlobalBuffer((__gm__ T *)x);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        const uint32_t rows = 2 * t.bandRows + 1; // of x, for a band of y
        pipe.InitBuffer(inQueue, COPIES, rows * t.pitch * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, t.bandRows * t.outPitch * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(wideBuf, rows * t.pitch * sizeof(float));
        }
        pipe.InitBuffer(rowMaxBuf, t.bandRows * t.pitch * sizeof(float));
        pipe.InitBuffer(offsetBuf, t.bandRows * t.outPitch * sizeof(int32_t));
        pipe.InitBuffer(leftBuf, t.bandRows * t.outPitch * sizeof(float));
        pipe.InitBuffer(rightBuf, t.bandRows * t.outPitch * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        PrepareOffsets();
        for (uint32_t band = GetBlockIdx(); band < t.planes * t.bands; band += GetBlockNum()) {
            const uint32_t plane = band / t.bands, top = band % t.bands * t.bandRows;
            const uint32_t rows = t.outHeight - top < t.bandRows ? t.outHeight - top : t.bandRows;
            CopyIn(plane, top, rows);
            Compute(top, rows);
            LocalTensor<T> y = outQueue.DeQue<T>();
            DataCopyPad(
                yGm[(static_cast<uint64_t>(plane) * t.outHeight + top) * t.outWidth], y,
                DataCopyExtParams{static_cast<uint16_t>(rows), static_cast<uint32_t>(t.outWidth * sizeof(T)), 0, 0, 0});
            outQueue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline T Lowest()
    {
        if constexpr (std::is_same_v<T, bfloat16_t>) {
            return ToBfloat16(LOWEST); // the device casts no float to bfloat16_t
        } else {
            return static_cast<T>(LOWEST);
        }
    }

    // Byte offsets of every second element of each row of a band; row r starts at element r * pitch.
    __aicore__ inline void PrepareOffsets()
    {
        LocalTensor<int32_t> offset = offsetBuf.Get<int32_t>();
        CreateVecIndex(offset, 0, t.outPitch);
        Muls(offset, offset, static_cast<int32_t>(2 * sizeof(float)), t.outPitch);
        // Results behind a row's end are not stored; their offsets are kept inside the row, too.
        Mins(offset, offset, static_cast<int32_t>((t.pitch - 3) * sizeof(float)), t.outPitch);
        for (uint32_t r = 1; r < t.bandRows; ++r) {
            Adds(offset[r * t.outPitch], offset, static_cast<int32_t>(r * t.pitch * sizeof(float)), t.outPitch);
        }
    }

    // Load rows 2 * top - 1 to 2 * (top + rows - 1) + 1 of x, padded with one element on the left and, on the right, up
    // to the pitch (1 to 16 elements). Where the first or the last row is outside of x, Compute fills it.
    __aicore__ inline void CopyIn(uint32_t plane, uint32_t top, uint32_t rows)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        const uint32_t skipped = top == 0 ? 1 : 0;
        const uint32_t first = 2 * top + skipped - 1;
        const uint32_t inside = t.height - first, wanted = 2 * rows + 1 - skipped;
        const uint16_t present = inside < wanted ? inside : wanted;
        const uint8_t right = t.pitch - t.width - 1;
        DataCopyPad(x[skipped * t.pitch], xGm[(static_cast<uint64_t>(plane) * t.height + first) * t.width],
                    DataCopyExtParams{present, static_cast<uint32_t>(t.width * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{true, 1, right, Lowest()});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t top, uint32_t rows)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<float> wide;
        if constexpr (std::is_same_v<T, float>) {
            wide = x;
        } else {
            wide = wideBuf.Get<float>(); // Max takes half but not bfloat16_t; both go one way
            Cast(wide, x, RoundMode::CAST_NONE, (2 * rows + 1) * t.pitch);
        }
        if (top == 0) {
            Duplicate(wide, LOWEST, t.pitch);
        }
        if (2 * (top + rows) > t.height) { // the last window's third row is below the plane
            Duplicate(wide[2 * rows * t.pitch], LOWEST, t.pitch);
        }
        LocalTensor<float> rowMax = rowMaxBuf.Get<float>(), left = leftBuf.Get<float>(), right = rightBuf.Get<float>();
        const uint8_t apart = t.pitch / 8, twice = 2 * apart; // blocks from row to row of the result, and of x
        for (uint32_t c = 0; c < t.pitch; c += REPEAT) {      // 64 columns of all rows with each instruction
            const uint64_t lanes = t.pitch - c < REPEAT ? t.pitch - c : REPEAT;
            Max(rowMax[c], wide[c], wide[t.pitch + c], lanes, rows, {1, 1, 1, apart, twice, twice});
            Max(rowMax[c], rowMax[c], wide[2 * t.pitch + c], lanes, rows, {1, 1, 1, apart, apart, twice});
        }
        inQueue.FreeTensor(x);
        const uint32_t all = rows * t.outPitch;
        LocalTensor<uint32_t> offset = offsetBuf.Get<uint32_t>();
        Gather(left, rowMax, offset, 0, all); // first column of each window; the others are one and two on
        Gather(right, rowMax, offset, sizeof(float), all);
        Max(left, left, right, all);
        Gather(right, rowMax, offset, 2 * sizeof(float), all);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Max(y, left, right, all);
        } else {
            Max(left, left, right, all);
            Cast(y, left, RoundMode::CAST_RINT, all);
        }
        outQueue.EnQue(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> wideBuf, rowMaxBuf, offsetBuf, leftBuf, rightBuf;
    GlobalTensor<T> xGm, yGm;
    MaxPool2dTilingData t; // the tiling data: the host's header describes its fields
};

extern "C" __global__ __aicore__ void max_pool_2d(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelMaxPool2d<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
