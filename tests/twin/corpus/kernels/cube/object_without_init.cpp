// An object of a cube core alone is not initialised.
// code: MATMUL_OBJECT
// x: float32 32 32
// workspace: 256
// want: x @ x
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    using Operand = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    MatmulImpl<Operand, Operand, Operand> mm;
    TCubeTiling cut{};
    cut.M = cut.N = cut.Ka = cut.Kb = 32;
    cut.singleCoreM = cut.singleCoreN = cut.singleCoreK = 32;
    cut.baseM = cut.baseN = cut.baseK = 16;
    mm.Init(&cut, &pipe); // [correct]
    mm.SetTensorA(in); // [here]
    mm.SetTensorB(in);
    mm.IterateAll(out);
    mm.End();
}
