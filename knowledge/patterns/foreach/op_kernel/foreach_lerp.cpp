#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

// z_i = x_i + weight * (y_i - x_i) for each pair of tensors of two lists.
template <typename T> class KernelForeachLerp {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z0, GM_ADDR z1, const ForeachLerpTilingData &tiling)
    {
        t = tiling;
        xList.Init((__gm__ void *)x);
        yList.Init((__gm__ void *)y);
        zOf[0] = z0; // the outputs are no list: their addresses come as arguments
        zOf[1] = z1;
        pipe.InitBuffer(inQueue, COPIES, 2 * t.tile * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, t.tile * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(floatBuf, 2 * t.tile * sizeof(float));
        }
    }

    __aicore__ inline void Process()
    {
        // The tiles of all tensors have consecutive numbers, which are dealt to the cores in turn.
        uint64_t before = 0;           // tiles of earlier tensors
        uint64_t next = GetBlockIdx(); // the next tile of this core
        for (uint32_t i = 0; i < TENSORS; ++i) {
            GlobalTensor<T> xGm, yGm, zGm;
            xGm.SetGlobalBuffer(xList.GetDataPtr<__gm__ T>(i));
            yGm.SetGlobalBuffer(yList.GetDataPtr<__gm__ T>(i));
            zGm.SetGlobalBuffer((__gm__ T *)zOf[i]);
            const uint64_t tiles = (t.lengths[i] + t.tile - 1) / t.tile;
            for (; next < before + tiles; next += GetBlockNum()) {
                const uint64_t at = (next - before) * t.tile;
                const uint32_t length = t.lengths[i] - at < t.tile ? t.lengths[i] - at : t.tile;
                const DataCopyExtParams run{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
                LocalTensor<T> in = inQueue.AllocTensor<T>(); // x, and y behind it
                DataCopyPad(in, xGm[at], run, DataCopyPadExtParams<T>{false, 0, 0, 0});
                DataCopyPad(in[t.tile], yGm[at], run, DataCopyPadExtParams<T>{false, 0, 0, 0});
                inQueue.EnQue(in);
                Compute(length);
                LocalTensor<T> z = outQueue.DeQue<T>();
                DataCopyPad(zGm[at], z, run);
                outQueue.FreeTensor(z);
            }
            before += tiles;
        }
    }

private:
    __aicore__ inline void Compute(uint32_t length)
    {
        LocalTensor<T> in = inQueue.DeQue<T>();
        LocalTensor<T> z = outQueue.AllocTensor<T>();
        LocalTensor<float> x, y;
        if constexpr (std::is_same_v<T, float>) {
            x = in;
            y = in[t.tile];
        } else {
            x = floatBuf.Get<float>();
            y = x[t.tile];
            Cast(x, in, RoundMode::CAST_NONE, t.tile + length); // x and y, and what is between them
        }
        Sub(y, y, x, length);
        Axpy(x, y, t.weight, length); // x += weight * y
        if constexpr (std::is_same_v<T, float>) {
            Adds(z, x, 0.0f, length); // a copy on chip
        } else {
            Cast(z, x, RoundMode::CAST_RINT, length);
        }
        outQueue.EnQue(z);
        inQueue.FreeTensor(in);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> floatBuf;
    ListTensorDesc xList, yList;
    static constexpr uint32_t TENSORS = 2; // in each list, as on the host
    GM_ADDR zOf[TENSORS];
    ForeachLerpTilingData t; // the tiling data: the host's header describes its fields
};

extern "C" __global__ __aicore__ void foreach_lerp(GM_ADDR x, GM_ADDR y, GM_ADDR z0, GM_ADDR z1, GM_ADDR workspace,
                                                   GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelForeachLerp<DTYPE_X> op;
    op.Init(x, y, z0, z1, data);
    op.Process();
}
