// The tiling struct is defined and not registered.
// code: TILING_STRUCT
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA(data, tiling); // [here]
    const uint32_t begin = GetBlockIdx() * data.perCore;
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    DataCopy(a, in[begin], data.perCore);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out[begin], a, data.perCore);
}
// ==== op_host/corpus_tiling.h
#ifndef CORPUS_TILING_H
#define CORPUS_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CorpusTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
END_TILING_DATA_DEF;

 // [faulty]
REGISTER_TILING_DATA_CLASS(Corpus, CorpusTilingData) // [correct]
} // namespace optiling
#endif
