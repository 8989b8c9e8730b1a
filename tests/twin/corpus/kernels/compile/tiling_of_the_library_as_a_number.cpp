// A tiling struct of the library stands in the macro for numbers.
// code: TILING_STRUCT
// x: float32 16
// want: x * 2
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA(data, tiling);
    LocalTensor<float> a(TPosition::VECCALC, 0, 16);
    const float factor = 2.0f;
    DataCopy(a, in, 16);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, factor, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
// ==== op_host/corpus_tiling.h
#ifndef CORPUS_TILING_H
#define CORPUS_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CorpusTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
TILING_DATA_FIELD_DEF(TCubeTiling, cube); // [faulty here]
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube); // [correct]
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Corpus, CorpusTilingData)
} // namespace optiling
#endif
