#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

// y = gelu(x * weight^T + bias), gelu(v) = v / 2 * (1 + erf(v / sqrt(2))). The cube core's base blocks come to the
// Unified Buffer as float, one after the other; the vector core adds the bias and applies gelu. Buffers are single: it
// waits for each.
template <typename T> class KernelLinearGelu {
public:
    using Plain = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T>;
    using Transposed = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T, true>; // weight is stored as [n, k]
    using Block = matmul::MatmulType<TPosition::VECIN, CubeFormat::ND, float>;
    matmul::Matmul<Plain, Transposed, Block> product;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y, const TCubeTiling &tiling,
                                TPipe *pipe)
    {
        cube = tiling;
        xGm.SetGlobalBuffer((__gm__ T *)x);
        weightGm.SetGlobalBuffer((__gm__ T *)weight);
        biasGm.SetGlobalBuffer((__gm__ T *)bias);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        const uint32_t block = cube.baseM * cube.baseN;
        pipe->InitBuffer(blockQueue, 1, block * sizeof(float));
        pipe->InitBuffer(biasQueue, 1, cube.baseN * sizeof(T));
        pipe->InitBuffer(outQueue, 1, block * sizeof(T));
        pipe->InitBuffer(biasBuf, cube.baseN * sizeof(float));
        pipe->InitBuffer(workBuf, block * sizeof(float));
        pipe->InitBuffer(scratchBuf, SCRATCH);
    }

    __aicore__ inline void Process()
    {
        const uint32_t down = DivCeil(cube.M, cube.singleCoreM);
        const uint32_t across = DivCeil(cube.N, cube.singleCoreN);
        const uint32_t cores = GetBlockNum() * GetTaskRation(); // vector cores, which GetBlockIdx counts here
        for (uint32_t share = GetBlockIdx(); share < down * across; share += cores) {
            const uint32_t top = share % down * cube.singleCoreM, left = share / down * cube.singleCoreN;
            const uint32_t rows = Least(cube.M - top, cube.singleCoreM),
                           columns = Least(cube.N - left, cube.singleCoreN);
            product.SetTensorA(xGm[static_cast<uint64_t>(top) * cube.Ka]);
            product.SetTensorB(weightGm[static_cast<uint64_t>(left) * cube.Kb], true);
            product.SetTail(rows, columns);
            // Base blocks come down M first, then across N, as the host set the traverse.
            for (uint32_t block = 0; product.template Iterate<true>(); ++block) {
                const uint32_t blocksDown = DivCeil(rows, cube.baseM);
                const uint32_t row = block % blocksDown * cube.baseM, column = block / blocksDown * cube.baseN;
                Epilogue(top + row, left + column, Least(rows - row, cube.baseM), Least(columns - column, cube.baseN));
            }
        }
        product.End();
    }

private:
    __aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; } // the last blocks are smaller

    __aicore__ inline void Epilogue(uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
    {
        LoadBias(column, columns);
        LocalTensor<float> value = blockQueue.AllocTensor<float>();
        product.template GetTensorC<true>(value, false, true); // not atomic; sequential: a dense block
        blockQueue.EnQue(value);
        value = blockQueue.DeQue<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        const uint32_t pitch = AlignUp(columns, 8); // GetTensorC starts rows at multiples of 32 bytes
        for (uint32_t r = 0; r < rows; ++r) {
            Add(value[r * pitch], value[r * pitch], biasBuf.Get<float>(), columns);
        }
        const uint32_t all = rows * pitch;
        Muls(value, value, 0.70710678f, all);             // v / sqrt(2)
        Erf(work, value, scratchBuf.Get<uint8_t>(), all); // source and destination have to differ
        Adds(work, work, 1.0f, all);
        Muls(value, value, 0.70710678f, all); // v / sqrt(2) / sqrt(2) = v / 2
        Mul(value, value, work, all);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        const uint32_t outPitch = AlignUp(columns, 32 / sizeof(T)); // 32 bytes hold more elements of 16 bits
        for (uint32_t r = 0; r < rows; ++r) {
            if constexpr (std::is_same_v<T, float>) {
                Adds(y[r * outPitch], value[r * pitch], 0.0f, columns); // a copy on chip
            } else {
                Cast(y[r * outPitch], value[r * pitch], RoundMode::CAST_RINT, columns);
            }
        }
        blockQueue.FreeTensor(value);
        outQueue.EnQue(y);
        y = outQueue.DeQue<T>();
        const uint32_t bytes = columns * sizeof(T);
        DataCopyPad(yGm[static_cast<uint64_t>(row) * cube.N + column], y,
                    DataCopyExtParams{static_cast<uint16_t>(rows), bytes, 0,
                                      static_cast<uint32_t>((cube.N - columns) * sizeof(T)), 0});
        outQueue.FreeTensor(y);
    }

    __aicore__ inline void LoadBias(uint32_t column, uint32_t columns)
    {
        LocalTensor<T> bias = biasQueue.AllocTensor<T>();
        DataCopyPad(bias, biasGm[column], DataCopyExtParams{1, static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        biasQueue.EnQue(bias);
        bias = biasQueue.DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(biasBuf.Get<float>(), bias, 0.0f, columns); // a copy on chip
        } else {
            Cast(biasBuf.Get<float>(), bias, RoundMode::CAST_NONE, columns);
        }
        biasQueue.FreeTensor(bias);
    }

    static constexpr uint32_t SCRATCH = 32 * 1024; // Erf works in pieces as long as this allows
    TCubeTiling cube;
    TQue<TPosition::VECIN, 1> blockQueue, biasQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> biasBuf, workBuf, scratchBuf;
    GlobalTensor<T> xGm, weightGm, biasGm, yGm;
};

extern "C" __global__ __aicore__ void linear_gelu(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); // one cube core and two vector cores in each block
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    KernelLinearGelu<DTYPE_X> op;
    // Does not return on the cube core, which serves the object from here on: vector cores alone run Init and Process.
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.product, &data.cube);
    op.Init(x, weight, bias, y, data.cube, &pipe);
    op.Process();
}
