// The same with a Matmul object: on one vector core, whose cube core works for it.
// ==== op_kernel/card_uses.cpp
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using B = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;

// [function]
template <class Object>
__aicore__ inline void CARD(Object &mm, TPipe &pipe, TCubeTiling &cut, GM_ADDR x_gm, GM_ADDR y_gm, GM_ADDR workspace)
{
    GlobalTensor<half> a, b;                                     // [a b]
    GlobalTensor<float> c, bias;                                 // [c bias]
    GlobalTensor<uint64_t> scales;                               // [scales]
    a.SetGlobalBuffer((__gm__ half *)x_gm, 2048);                // [a]
    b.SetGlobalBuffer((__gm__ half *)x_gm + 2048, 2048);         // [b]
    bias.SetGlobalBuffer((__gm__ float *)x_gm, 32);              // [bias]
    scales.SetGlobalBuffer((__gm__ uint64_t *)x_gm, 32);         // [scales]
    c.SetGlobalBuffer((__gm__ float *)y_gm, 4096);               // [c]
    SNIPPET
}
// [end]

extern "C" __global__ __aicore__ void card_uses(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    GET_TILING_DATA(data, tiling);
    SetSysWorkspace(workspace);
    TPipe pipe;
    Matmul<A, B, C, C, CFG_NORM> mm;
    TCubeTiling cut{};
    cut.usedCoreNum = 1;
    cut.M = cut.singleCoreM = 32;
    cut.N = cut.singleCoreN = 32;
    cut.Ka = cut.Kb = cut.singleCoreK = 64;
    cut.baseM = 16;
    cut.baseN = 16;
    cut.baseK = 32;
    cut.depthA1 = cut.depthB1 = cut.stepM = cut.stepN = cut.stepKa = cut.stepKb = cut.dbL0A = cut.dbL0B = cut.dbL0C = 1;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &cut);
    if (TILING_KEY_IS(1)) {
        // [calls]
        if (data.only == -1 || data.only == NUMBER) {
            CARD(mm, pipe, cut, x, y, workspace);
            mm.End();
            PipeBarrier<PIPE_ALL>();
        }
        // [end]
    }
}
