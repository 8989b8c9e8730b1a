#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

template <typename T>
class KernelBatchedLinear {
public:
    using Plain = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T>;  // a transposed operand: a fourth argument, true
    using Bias = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
    matmul::Matmul<Plain, Plain, Plain, Bias> product;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR w, GM_ADDR b, GM_ADDR y)
    {
        xGm_.SetGlobalBuffer((__gm__ T*)x);
        wGm_.SetGlobalBuffer((__gm__ T*)w);
        bGm_.SetGlobalBuffer((__gm__ float*)b);
        yGm_.SetGlobalBuffer((__gm__ T*)y);
    }

    // The blocks of all batches go round the vector cores; a core computes singleCoreM x singleCoreN at a time.
    __aicore__ inline void Process(const TCubeTiling& cube, uint32_t batches)
    {
        const uint32_t down = (cube.M + cube.singleCoreM - 1) / cube.singleCoreM;
        const uint32_t across = (cube.N + cube.singleCoreN - 1) / cube.singleCoreN;
        const uint32_t cores = GetBlockNum() * GetTaskRation();
        for (uint32_t block = GetBlockIdx(); block < batches * down * across; block += cores) {
            const uint32_t batch = block / (down * across);
            const uint32_t row = block % down * cube.singleCoreM;
            const uint32_t column = block / down % across * cube.singleCoreN;
            const int32_t rows = Least(cube.M - row, cube.singleCoreM);
            const int32_t columns = Least(cube.N - column, cube.singleCoreN);
            product.SetTensorA(xGm_[(static_cast<uint64_t>(batch) * cube.M + row) * cube.Ka]);
            product.SetTensorB(wGm_[column]);
            product.SetBias(bGm_[column]);
            product.SetTail(rows, columns);  // the last blocks are smaller
            product.IterateAll(yGm_[(static_cast<uint64_t>(batch) * cube.M + row) * cube.N + column]);
        }
        product.End();
    }

private:
    __aicore__ inline int32_t Least(int32_t a, int32_t b)
    {
        return a < b ? a : b;
    }

    GlobalTensor<T> xGm_, wGm_, yGm_;
    GlobalTensor<float> bGm_;
};

extern "C" __global__ __aicore__ void batched_linear(GM_ADDR x, GM_ADDR w, GM_ADDR b, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);  // cube and vector cores; AIV_ONLY is the default without a product
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    KernelBatchedLinear<DTYPE_X> op;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.product, &data.cube);
    op.Init(x, w, b, y);
    op.Process(data.cube, data.batches);
}
