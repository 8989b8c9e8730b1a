#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

// y = x * weight^T + bias with the library's Matmul object: a vector core owns it and asks, its cube core multiplies.
template <typename T> class KernelLinearLayer {
public:
    using Plain = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T>;
    using Transposed = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T, true>; // weight is stored as [n, k]
    matmul::Matmul<Plain, Transposed, Plain, Plain> product;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y, const TCubeTiling &tiling)
    {
        cube = tiling;
        xGm.SetGlobalBuffer((__gm__ T *)x);
        weightGm.SetGlobalBuffer((__gm__ T *)weight);
        biasGm.SetGlobalBuffer((__gm__ T *)bias);
        yGm.SetGlobalBuffer((__gm__ T *)y);
    }

    // Each vector core computes singleCoreM x singleCoreN of y at a time, until all blocks are done.
    __aicore__ inline void Process()
    {
        const uint32_t down = DivCeil(cube.M, cube.singleCoreM);
        const uint32_t across = DivCeil(cube.N, cube.singleCoreN);
        const uint32_t cores = GetBlockNum() * GetTaskRation(); // vector cores, which GetBlockIdx counts here
        for (uint32_t block = GetBlockIdx(); block < down * across; block += cores) {
            const uint32_t row = block % down * cube.singleCoreM;
            const uint32_t column = block / down * cube.singleCoreN;
            product.SetTensorA(xGm[static_cast<uint64_t>(row) * cube.Ka]);
            product.SetTensorB(weightGm[static_cast<uint64_t>(column) * cube.Kb], true);
            product.SetBias(biasGm[column]);
            product.SetTail(Least(cube.M - row, cube.singleCoreM), Least(cube.N - column, cube.singleCoreN));
            product.IterateAll(yGm[static_cast<uint64_t>(row) * cube.N + column]);
        }
        product.End();
    }

private:
    __aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; } // the last blocks are smaller

    TCubeTiling cube;
    GlobalTensor<T> xGm, weightGm, biasGm, yGm;
};

extern "C" __global__ __aicore__ void linear_layer(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y,
                                                   GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); // one cube core and two vector cores in each block
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    KernelLinearLayer<DTYPE_X> op;
    // Does not return on the cube core, which serves the object from here on: vector cores alone run Init and Process.
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.product, &data.cube);
    op.Init(x, weight, bias, y, data.cube);
    op.Process();
}
