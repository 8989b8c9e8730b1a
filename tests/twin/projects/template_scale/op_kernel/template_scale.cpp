#include "kernel_operator.h"
#include "template_scale_key.h"
#include "template_scale_tiling.h"
using namespace AscendC;

template <typename D_T_X, int TILES, int ADD_ONE>
__global__ __aicore__ void template_scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(TemplateScaleTiling, data, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    GlobalTensor<D_T_X> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ D_T_X *>(x), data.length);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ D_T_X *>(y), data.length);
    const uint32_t part = data.length / TILES;
    pipe.InitBuffer(in, 1, part * sizeof(D_T_X));
    pipe.InitBuffer(out, 1, part * sizeof(D_T_X));
    for (uint32_t i = 0; i < TILES; ++i) {
        LocalTensor<D_T_X> v = in.AllocTensor<D_T_X>();
        DataCopy(v, from[i * part], part);
        in.EnQue(v);
        v = in.DeQue<D_T_X>();
        LocalTensor<D_T_X> w = out.AllocTensor<D_T_X>();
        Muls(w, v, static_cast<D_T_X>(data.factor), part);
        if constexpr (ADD_ONE == 1) {
            Adds(w, w, static_cast<D_T_X>(1), part);
        }
        out.EnQue(w);
        in.FreeTensor(v);
        w = out.DeQue<D_T_X>();
        DataCopy(to[i * part], w, part);
        out.FreeTensor(w);
    }
}
