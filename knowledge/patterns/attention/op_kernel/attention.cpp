#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

// y = softmax(q * k^T * scale) * v for each matrix of a batch. The softmax of a row gives its probabilities.
template <typename T> class KernelAttention {
public:
    using Plain = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T>;
    using Transposed = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T, true>;
    using Scores = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
    matmul::Matmul<Plain, Transposed, Scores> scoresOf;
    matmul::Matmul<Plain, Plain, Plain> valuesOf;

    __aicore__ inline void Init(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR y, GM_ADDR workspace,
                                const AttentionTilingData &tiling, TPipe *onePipe)
    {
        t = tiling;
        pipe = onePipe;
        qGm.SetGlobalBuffer((__gm__ T *)q);
        kGm.SetGlobalBuffer((__gm__ T *)k);
        vGm.SetGlobalBuffer((__gm__ T *)v);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        // Each core has room for float scores and, behind them, as much for probabilities; half fills one half of it.
        const uint64_t room = static_cast<uint64_t>(t.rows) * t.length;
        GM_ADDR own = GetUserWorkspace(workspace) + GetBlockIdx() * room * 2 * sizeof(float);
        scoreGm.SetGlobalBuffer((__gm__ float *)own);
        probabilityGm.SetGlobalBuffer((__gm__ T *)(own + room * sizeof(float)));
        const uint32_t padded = AlignUp(t.length, 64);
        pipe->InitBuffer(inQueue, 2, padded * sizeof(float));
        pipe->InitBuffer(outQueue, 2, padded * sizeof(T));
        pipe->InitBuffer(workBuf, padded * sizeof(float));
        pipe->InitBuffer(numberBuf, 32);
    }

    __aicore__ inline void Process()
    {
        const uint32_t down = DivCeil(t.length, t.rows);
        const uint32_t cores = GetBlockNum() * GetTaskRation(); // vector cores, which GetBlockIdx counts here
        for (uint32_t share = GetBlockIdx(); share < t.batch * down; share += cores) {
            const uint64_t matrix = static_cast<uint64_t>(share / down) * t.length * t.width;
            const uint32_t row = share % down * t.rows;
            const uint32_t rows = t.length - row < t.rows ? t.length - row : t.rows;
            scoresOf.SetTensorA(qGm[matrix + static_cast<uint64_t>(row) * t.width]);
            scoresOf.SetTensorB(kGm[matrix], true);
            scoresOf.SetTail(rows, t.length);
            scoresOf.IterateAll(scoreGm); // synchronous: the scores are in the workspace
            CopyIn(0);
            for (uint32_t r = 0; r < rows; ++r) {
                if (r + 1 < rows) { // first, since the softmax waits for two scalars
                    CopyIn(static_cast<uint64_t>(r + 1) * t.length);
                }
                Softmax(static_cast<uint64_t>(r) * t.length);
            }
            // The cube core reads the probabilities from global memory: this core's copies there have to be complete.
            const event_t written = static_cast<event_t>(pipe->FetchEventID(HardEvent::MTE3_S));
            SetFlag<HardEvent::MTE3_S>(written);
            WaitFlag<HardEvent::MTE3_S>(written);
            valuesOf.SetTensorA(probabilityGm);
            valuesOf.SetTensorB(vGm[matrix]);
            valuesOf.SetTail(rows, t.width, t.length);
            valuesOf.IterateAll(yGm[matrix + static_cast<uint64_t>(row) * t.width]); // so the workspace is free again
        }
        scoresOf.End();
        valuesOf.End();
    }

private:
    __aicore__ inline void CopyIn(uint64_t at)
    {
        LocalTensor<float> score = inQueue.AllocTensor<float>();
        DataCopyPad(score, scoreGm[at], DataCopyExtParams{1, static_cast<uint32_t>(t.length * sizeof(float)), 0, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0});
        inQueue.EnQue(score);
    }

    // Turn one row of scores into one row of probabilities.
    __aicore__ inline void Softmax(uint64_t at)
    {
        LocalTensor<float> score = inQueue.DeQue<float>();
        LocalTensor<float> work = workBuf.Get<float>(), number = numberBuf.Get<float>();
        Muls(score, score, t.scale, t.length);
        ReduceMax<float>(number, score, work, t.length, false);
        Adds(score, score, -Read(number), t.length); // at most zero, so Exp does not overflow
        Exp(score, score, t.length);
        ReduceSum<float>(number, score, work, t.length);
        LocalTensor<T> probability = outQueue.AllocTensor<T>();
        Muls(score, score, 1.0f / Read(number), t.length);
        if constexpr (std::is_same_v<T, float>) {
            Adds(probability, score, 0.0f, t.length); // a copy on chip
        } else {
            Cast(probability, score, RoundMode::CAST_RINT, t.length);
        }
        inQueue.FreeTensor(score);
        outQueue.EnQue(probability);
        probability = outQueue.DeQue<T>();
        DataCopyPad(probabilityGm[at], probability,
                    DataCopyExtParams{1, static_cast<uint32_t>(t.length * sizeof(T)), 0, 0, 0});
        outQueue.FreeTensor(probability);
    }

    // Read a scalar that the vector unit wrote: the scalar unit waits for it.
    __aicore__ inline float Read(const LocalTensor<float> &number)
    {
        const event_t written = static_cast<event_t>(pipe->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(written);
        WaitFlag<HardEvent::V_S>(written);
        return number.GetValue(0);
    }

    AttentionTilingData t; // the tiling data: the host's header describes its fields
    TPipe *pipe = nullptr; // one for the kernel: the objects take their buffers from it, too
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 2> outQueue;
    TBuf<TPosition::VECCALC> workBuf, numberBuf;
    GlobalTensor<T> qGm, kGm, vGm, yGm, probabilityGm;
    GlobalTensor<float> scoreGm;
};

extern "C" __global__ __aicore__ void attention(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR y, GM_ADDR workspace,
                                                GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); // one cube core and two vector cores in each block
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    KernelAttention<DTYPE_Q> op;
    // Does not return on the cube core, which serves the objects from here on: vector cores alone run Init and Process.
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.scoresOf, &data.scores, op.valuesOf, &data.values);
    op.Init(q, k, v, y, workspace, data, &pipe);
    op.Process();
}
