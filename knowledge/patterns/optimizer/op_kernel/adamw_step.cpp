#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t INPUTS = 4, OUTPUTS = 3;

// A step of AdamW (decoupled weight decay):
// first = beta1 * first + (1 - beta1) * grad, second = beta2 * second + (1 - beta2) * grad^2,
// weight = weight * (1 - lr * decay) - lr / correction1 * first / (sqrt(second / correction2) + eps).
template <typename T> class KernelAdamwStep {
public:
    __aicore__ inline void Init(GM_ADDR weight, GM_ADDR grad, GM_ADDR first, GM_ADDR second, GM_ADDR newWeight,
                                GM_ADDR newFirst, GM_ADDR newSecond, const AdamwStepTilingData &tiling)
    {
        t = tiling;
        const uint64_t begin = t.perCore * GetBlockIdx();
        count = t.length - begin < t.perCore ? t.length - begin : t.perCore;
        const GM_ADDR given[INPUTS] = {weight, grad, first, second};
        const GM_ADDR results[OUTPUTS] = {newWeight, newFirst, newSecond};
        for (uint32_t i = 0; i < INPUTS; ++i) {
            inGm[i].SetGlobalBuffer((__gm__ T *)given[i] + begin);
        }
        for (uint32_t i = 0; i < OUTPUTS; ++i) {
            outGm[i].SetGlobalBuffer((__gm__ T *)results[i] + begin);
        }
        pipe.InitBuffer(inQueue, COPIES, INPUTS * t.tile * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, OUTPUTS * t.tile * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(floatBuf, INPUTS * t.tile * sizeof(float));
        }
    }

    __aicore__ inline void Process()
    {
        for (uint64_t at = 0; at < count; at += t.tile) {
            const uint32_t length = count - at < t.tile ? count - at : t.tile;
            const DataCopyExtParams run{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
            LocalTensor<T> in = inQueue.AllocTensor<T>(); // tiles of the four tensors
            for (uint32_t i = 0; i < INPUTS; ++i) {
                DataCopyPad(in[i * t.tile], inGm[i][at], run, DataCopyPadExtParams<T>{false, 0, 0, 0});
            }
            inQueue.EnQue(in);
            Compute(length);
            LocalTensor<T> out = outQueue.DeQue<T>();
            for (uint32_t i = 0; i < OUTPUTS; ++i) {
                DataCopyPad(outGm[i][at], out[i * t.tile], run);
            }
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t length)
    {
        LocalTensor<T> in = inQueue.DeQue<T>();
        LocalTensor<T> out = outQueue.AllocTensor<T>();
        LocalTensor<float> values; // weight, gradient and moments as float, computed in place
        if constexpr (std::is_same_v<T, float>) {
            values = in;
        } else {
            values = floatBuf.Get<float>();
            // One Cast for all four tiles. The step uses float moments; only the stored ones are rounded to T.
            Cast(values, in, RoundMode::CAST_NONE, (INPUTS - 1) * t.tile + length);
        }
        LocalTensor<float> weight = values, grad = values[t.tile], first = values[2 * t.tile],
                           second = values[3 * t.tile];
        Muls(first, first, t.beta1, length);
        Axpy(first, grad, 1.0f - t.beta1, length); // first = beta1 * first + (1 - beta1) * grad
        Mul(grad, grad, grad, length);
        Muls(second, second, t.beta2, length);
        Axpy(second, grad, 1.0f - t.beta2, length);
        Emit(out[t.tile], first, length);
        Emit(out[2 * t.tile], second, length);
        LocalTensor<float> root = grad; // the gradient is not needed any more
        Muls(root, second, 1.0f / t.correction2, length);
        Sqrt(root, root, length);
        Adds(root, root, t.eps, length);
        Div(root, first, root, length);
        Muls(weight, weight, 1.0f - t.lr * t.decay, length);
        Axpy(weight, root, -t.lr / t.correction1, length);
        Emit(out, weight, length);
        outQueue.EnQue(out);
        inQueue.FreeTensor(in);
    }

    __aicore__ inline void Emit(const LocalTensor<T> &to, const LocalTensor<float> &from, uint32_t length)
    {
        if constexpr (std::is_same_v<T, float>) {
            Adds(to, from, 0.0f, length); // a copy on chip
        } else {
            Cast(to, from, RoundMode::CAST_RINT, length);
        }
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> floatBuf;
    GlobalTensor<T> inGm[INPUTS], outGm[OUTPUTS];
    AdamwStepTilingData t; // the tiling data: the host's header describes its fields
    uint64_t count = 0;    // elements of this core
};

extern "C" __global__ __aicore__ void adamw_step(GM_ADDR weight, GM_ADDR grad, GM_ADDR first, GM_ADDR second,
                                                 GM_ADDR new_weight, GM_ADDR new_first, GM_ADDR new_second,
                                                 GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelAdamwStep<DTYPE_WEIGHT> op;
    op.Init(weight, grad, first, second, new_weight, new_first, new_second, data);
    op.Process();
}
