#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

// y[r, :] = x[r, :] * weight[g] for every row r of group g; the groups are consecutive rows of x.
template <typename T> class KernelGroupedProduct {
public:
    using Plain = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T>;
    matmul::Matmul<Plain, Plain, Plain> product;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR y, const GroupedProductTilingData &tiling)
    {
        t = tiling;
        xGm.SetGlobalBuffer((__gm__ T *)x);
        weightGm.SetGlobalBuffer((__gm__ T *)weight);
        yGm.SetGlobalBuffer((__gm__ T *)y);
    }

    __aicore__ inline void Process()
    {
        // The blocks of all groups have consecutive numbers, which are dealt to the cores in turn.
        const uint32_t cores = GetBlockNum() * GetTaskRation(); // vector cores, which GetBlockIdx counts here
        const uint32_t across = DivCeil(t.cube.N, t.cube.singleCoreN);
        uint32_t before = 0;           // blocks of earlier groups
        uint32_t next = GetBlockIdx(); // the next block of this core
        uint32_t start = 0;            // first row of the group
        for (uint32_t group = 0; group < t.groups; ++group) {
            const uint32_t rows = t.ends[group] - start;
            const uint32_t blocks = DivCeil(rows, t.cube.singleCoreM) * across;
            for (; next < before + blocks; next += cores) {
                const uint32_t row = (next - before) / across * t.cube.singleCoreM;
                const uint32_t column = (next - before) % across * t.cube.singleCoreN;
                product.SetTensorA(xGm[static_cast<uint64_t>(start + row) * t.cube.Ka]);
                product.SetTensorB(weightGm[static_cast<uint64_t>(group) * t.cube.Ka * t.cube.N + column]);
                product.SetTail(Least(rows - row, t.cube.singleCoreM), Least(t.cube.N - column, t.cube.singleCoreN));
                product.IterateAll(yGm[static_cast<uint64_t>(start + row) * t.cube.N + column]);
            }
            before += blocks;
            start = t.ends[group];
        }
        product.End();
    }

private:
    __aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; } // the last blocks are smaller

    GroupedProductTilingData t; // the tiling data: the host's header describes its fields
    GlobalTensor<T> xGm, weightGm, yGm;
};

extern "C" __global__ __aicore__ void grouped_product(GM_ADDR x, GM_ADDR weight, GM_ADDR y, GM_ADDR workspace,
                                                      GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); // one cube core and two vector cores in each block
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    KernelGroupedProduct<DTYPE_X> op;
    // Does not return on the cube core, which serves the object from here on: vector cores alone run Init and Process.
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.product, &data.cube);
    op.Init(x, weight, y, data);
    op.Process();
}
