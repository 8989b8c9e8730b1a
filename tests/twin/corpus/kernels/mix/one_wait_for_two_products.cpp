// Two products are asked for, and the first wait takes the word of one of them.
// warning: MATMUL_WAIT
// x: float32 32 32
// workspace: 256
// want: x @ x
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    TPipe pipe;
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    using Operand = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    Matmul<Operand, Operand, Operand> mm;
    TCubeTiling cut{};
    cut.M = cut.N = cut.Ka = cut.Kb = 32;
    cut.singleCoreM = cut.singleCoreN = cut.singleCoreK = 32;
    cut.baseM = cut.baseN = cut.baseK = 16;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &cut);
    mm.SetTensorA(in);
    mm.SetTensorB(in);
    mm.IterateAll<false>(out, 0, false, true);
    mm.WaitIterateAll(); // [correct]
    mm.SetTensorA(in);
    mm.SetTensorB(in);
    mm.IterateAll<false>(out, 0, false, true);
    mm.WaitIterateAll(); // [here]
    mm.End();
}
