#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void list_scale(GM_ADDR x, GM_ADDR factor, GM_ADDR x_ref, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    __gm__ uint64_t *words = reinterpret_cast<__gm__ uint64_t *>(x_ref);
    __gm__ uint64_t *table = words + (*words >> 3);
    TPipe pipe;
    TBuf<QuePosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024 * sizeof(DTYPE_X_REF));
    for (uint32_t i = GetBlockIdx(); i < data.tensors; i += GetBlockNum()) {
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(table[i]), data.counts[i]);
        LocalTensor<float> local = buffer.Get<float>();
        DataCopyExtParams params{1, static_cast<uint32_t>(data.counts[i] * sizeof(float)), 0, 0, 0};
        DataCopyPadExtParams<float> pad{false, 0, 0, 0};
        DataCopyPad(local, gm, params, pad);
        event_t loaded = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));
        SetFlag<HardEvent::MTE2_V>(loaded);
        WaitFlag<HardEvent::MTE2_V>(loaded);
        Muls(local, local, data.factor, static_cast<int32_t>(data.counts[i]));
        event_t computed = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE3));
        SetFlag<HardEvent::V_MTE3>(computed);
        WaitFlag<HardEvent::V_MTE3>(computed);
        DataCopyPad(gm, local, params);
        event_t stored = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE3_MTE2));
        SetFlag<HardEvent::MTE3_MTE2>(stored);
        WaitFlag<HardEvent::MTE3_MTE2>(stored);
    }
}
