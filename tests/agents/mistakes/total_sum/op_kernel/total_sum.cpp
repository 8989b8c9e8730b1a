#include "kernel_operator.h"

using namespace AscendC;

class KernelTotalSum {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, uint64_t total, uint64_t perCore, uint32_t tile,
                                uint32_t cores)
    {
        const uint64_t first = perCore * GetBlockIdx();
        length = total - first < perCore ? total - first : perCore;
        this->tile = tile;
        this->cores = cores;
        xGm.SetGlobalBuffer((__gm__ float *)x + first, length);
        yGm.SetGlobalBuffer((__gm__ float *)y, 1);
        partGm.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace), cores * 8);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(outQueue, 1, 64 * sizeof(float));
        pipe.InitBuffer(sumBuf, 64 * sizeof(float));
        pipe.InitBuffer(workBuf, tile * sizeof(float));
        pipe.InitBuffer(partBuf, cores * 32);
    }

    __aicore__ inline void Process()
    {
        LocalTensor<float> sum = sumBuf.Get<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        float whole = 0.0f;
        for (uint64_t at = 0; at < length; at += tile) {
            const uint32_t count = static_cast<uint32_t>(length - at < tile ? length - at : tile);
            LocalTensor<float> x = inQueue.AllocTensor<float>();
            const DataCopyExtParams one{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
            DataCopyPad(x, xGm[at], one, DataCopyPadExtParams<float>{false, 0, 0, 0});
            inQueue.EnQue(x);
            x = inQueue.DeQue<float>();
            ReduceSum<float>(sum, x, work, count);
            whole += Read(sum);
            inQueue.FreeTensor(x);
        }
        Send(partGm[GetBlockIdx() * 8], whole, 8);
        SyncAll();
        if (GetBlockIdx() == 0) {
            Finish(sum, work);
        }
    }

private:
    __aicore__ inline void Send(const GlobalTensor<float> &to, float value, uint32_t count)
    {
        LocalTensor<float> out = outQueue.AllocTensor<float>();
        Duplicate(out, value, 8);
        outQueue.EnQue(out);
        out = outQueue.DeQue<float>();
        const DataCopyExtParams one{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        DataCopyPad(to, out, one);
        outQueue.FreeTensor(out);
    }

    __aicore__ inline void Finish(const LocalTensor<float> &sum, const LocalTensor<float> &work)
    {
        LocalTensor<float> parts = partBuf.Get<float>();
        DataCopy(parts, partGm, cores * 8);
        const event_t id = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE2_V));
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
        ReduceSum<float>(sum, parts, work, cores * 8);
        Send(yGm, Read(sum) / 8.0f, 1);
    }

    __aicore__ inline float Read(const LocalTensor<float> &scalar)
    {
        const event_t id = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(id);
        WaitFlag<HardEvent::V_S>(id);
        return scalar.GetValue(0);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> sumBuf, workBuf, partBuf;
    GlobalTensor<float> xGm, yGm, partGm;
    uint64_t length = 0;
    uint32_t tile = 0;
    uint32_t cores = 0;
};

extern "C" __global__ __aicore__ void total_sum(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelTotalSum op;
    op.Init(x, y, workspace, data.total, data.perCore, data.tile, data.cores);
    op.Process();
}
