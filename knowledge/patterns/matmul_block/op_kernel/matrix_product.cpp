#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t SIDE = 128;   // rows and columns of a block of the result: 64 KB of float, half of L0C
constexpr uint32_t DEPTH = 128;  // of a panel: 32 KB of each operand, half of L0A and of L0B
constexpr uint32_t FRACTAL = 16; // a fractal is 16 x 16 elements of 16 bits
constexpr uint32_t SQUARE = FRACTAL * FRACTAL;
constexpr int32_t COPIES = 2; // buffers of a queue: one panel is loaded while the other is multiplied

// y = a * b for 16-bit types, with sums in float, block by block on the cube cores.
template <typename T> class KernelMatrixProduct {
public:
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR y, const MatrixProductTilingData &tiling)
    {
        t = tiling;
        aGm.SetGlobalBuffer((__gm__ T *)a);
        bGm.SetGlobalBuffer((__gm__ T *)b);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        pipe.InitBuffer(aPanel, COPIES, SIDE * DEPTH * sizeof(T));
        pipe.InitBuffer(bPanel, COPIES, SIDE * DEPTH * sizeof(T));
        pipe.InitBuffer(aLoaded, COPIES, SIDE * DEPTH * sizeof(T));
        pipe.InitBuffer(bLoaded, COPIES, SIDE * DEPTH * sizeof(T));
        pipe.InitBuffer(sums, COPIES, SIDE * SIDE * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint32_t across = DivCeil(t.n, SIDE);
        for (uint32_t block = GetBlockIdx(); block < DivCeil(t.m, SIDE) * across; block += GetBlockNum()) {
            const uint32_t row = block / across * SIDE, column = block % across * SIDE;
            rows = Least(t.m - row, SIDE);
            columns = Least(t.n - column, SIDE);
            LocalTensor<float> sum = sums.AllocTensor<float>();
            for (uint32_t at = 0; at < t.k; at += DEPTH) {
                depth = Least(t.k - at, DEPTH);
                CopyPanels(row, column, at);
                LoadPanels();
                Multiply(sum, at == 0);
            }
            sums.EnQue(sum);
            CopyOut(row, column);
        }
    }

private:
    __aicore__ inline uint32_t Least(uint32_t x, uint32_t y) { return x < y ? x : y; }

    // Global memory to L1, row-major to fractals of 16 x 16 in column-major order: fractal (i, j) of a panel of r rows
    // is number j * r / 16 + i. DataCopy fills the last columns of a fractal up with zeros, the last rows not: those of
    // A give rows outside of y, those of B lie behind Mmad's k.
    __aicore__ inline void CopyPanels(uint32_t row, uint32_t column, uint32_t at)
    {
        LocalTensor<T> a = aPanel.AllocTensor<T>(), b = bPanel.AllocTensor<T>();
        Nd2NzParams p;
        p.ndNum = 1;
        p.nValue = rows;
        p.dValue = depth;
        p.srcDValue = t.k;
        p.dstNzC0Stride = AlignUp(rows, FRACTAL);
        p.dstNzNStride = 1;
        DataCopy(a, aGm[static_cast<uint64_t>(row) * t.k + at], p);
        p.nValue = depth;
        p.dValue = columns;
        p.srcDValue = t.n;
        p.dstNzC0Stride = AlignUp(depth, FRACTAL);
        DataCopy(b, bGm[static_cast<uint64_t>(at) * t.n + column], p);
        aPanel.EnQue(a);
        bPanel.EnQue(b);
    }

    // L1 to L0: A and B take their fractals in row-major order, those of B transposed. One LoadData moves a row of
    // fractals, whose distance in L1 is the panel's height in fractals.
    __aicore__ inline void LoadPanels()
    {
        LocalTensor<T> fromA = aPanel.DeQue<T>(), fromB = bPanel.DeQue<T>();
        LocalTensor<T> a = aLoaded.AllocTensor<T>(), b = bLoaded.AllocTensor<T>();
        const uint32_t down = DivCeil(rows, FRACTAL), deep = DivCeil(depth, FRACTAL), wide = DivCeil(columns, FRACTAL);
        LoadData2DParams p;
        p.repeatTimes = deep;
        p.srcStride = down;
        for (uint32_t i = 0; i < down; ++i) {
            LoadData(a[i * deep * SQUARE], fromA[i * SQUARE], p);
        }
        p.repeatTimes = wide;
        p.srcStride = deep;
        p.ifTranspose = true;
        for (uint32_t i = 0; i < deep; ++i) {
            LoadData(b[i * wide * SQUARE], fromB[i * SQUARE], p);
        }
        aPanel.FreeTensor(fromA);
        bPanel.FreeTensor(fromB);
        aLoaded.EnQue(a);
        bLoaded.EnQue(b);
    }

    __aicore__ inline void Multiply(const LocalTensor<float> &sum, bool first)
    {
        LocalTensor<T> a = aLoaded.DeQue<T>(), b = bLoaded.DeQue<T>();
        MmadParams p;
        p.m = rows == 1 ? FRACTAL : rows; // with m = 1 Mmad takes A as a vector, in another layout
        p.n = columns;
        p.k = depth;
        p.cmatrixInitVal = first; // later panels add to the sums
        Mmad(sum, a, b, p);
        // Without the barrier the next Mmad of so small a block may read sums that this one has not written yet.
        if ((p.m / FRACTAL) * (p.n / FRACTAL) < 10) {
            PipeBarrier<PIPE_M>();
        }
        aLoaded.FreeTensor(a);
        bLoaded.FreeTensor(b);
    }

    // L0C to global memory: row-major again, and rounded to T on the way.
    __aicore__ inline void CopyOut(uint32_t row, uint32_t column)
    {
        LocalTensor<float> sum = sums.DeQue<float>();
        FixpipeParamsV220 p;
        p.nSize = columns;
        p.mSize = rows;
        p.srcStride = AlignUp(rows, FRACTAL);
        p.dstStride = t.n;
        p.ndNum = 1;
        p.quantPre = std::is_same_v<T, half> ? QuantMode_t::F322F16 : QuantMode_t::F322BF16;
        Fixpipe<T, float, CFG_ROW_MAJOR>(yGm[static_cast<uint64_t>(row) * t.n + column], sum, p);
        sums.FreeTensor(sum);
    }

    TPipe pipe;
    TQue<TPosition::A1, COPIES> aPanel;  // L1
    TQue<TPosition::B1, COPIES> bPanel;  // L1
    TQue<TPosition::A2, COPIES> aLoaded; // L0A
    TQue<TPosition::B2, COPIES> bLoaded; // L0B
    TQue<TPosition::CO1, COPIES> sums;   // L0C
    GlobalTensor<T> aGm, bGm, yGm;
    MatrixProductTilingData t;                 // the tiling data: the host's header describes its fields
    uint32_t rows = 0, columns = 0, depth = 0; // of this block, of this panel
};

extern "C" __global__ __aicore__ void matrix_product(GM_ADDR a, GM_ADDR b, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); // no vector core takes part
    GET_TILING_DATA(data, tiling);
    KernelMatrixProduct<DTYPE_A> op;
    op.Init(a, b, y, data);
    op.Process();
}
