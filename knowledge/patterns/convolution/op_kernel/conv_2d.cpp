#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

constexpr int32_t COPIES = 2;  // buffers of a queue: copies use one while the vector unit works on the other
constexpr uint32_t FILTER = 3; // rows and columns of a filter

// y[n, f, r, s] = sum over c, i, j of weight[f, c, i, j] * x[n, c, r + i - 1, s + j - 1]: stride 1, zeros around the
// image. It is a product: weight [filters, taps] times the unfolded image [taps, points], where tap (c, i, j) is a row.
template <typename T> class KernelConv2d {
public:
    using Plain = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T>;
    matmul::Matmul<Plain, Plain, Plain> product;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR y, GM_ADDR workspace, const Conv2dTilingData &tiling,
                                TPipe *pipe)
    {
        t = tiling;
        points = t.height * t.width;
        xGm.SetGlobalBuffer((__gm__ T *)x);
        weightGm.SetGlobalBuffer((__gm__ T *)weight);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        unfoldedGm.SetGlobalBuffer((__gm__ T *)GetUserWorkspace(workspace));
        pipe->InitBuffer(inQueue, COPIES, t.height * t.pitch * sizeof(T));
        pipe->InitBuffer(outQueue, COPIES, (t.height + 2) * t.pitch * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        const uint32_t cores = GetBlockNum() * GetTaskRation(); // vector cores, which GetBlockIdx counts here
        for (uint32_t part = GetBlockIdx(); part < t.batch * t.channels * FILTER; part += cores) {
            Unfold(part / FILTER, part % FILTER);
        }
        SyncAll(); // a product reads planes that other cores unfolded
        const uint32_t down = DivCeil(t.cube.M, t.cube.singleCoreM), across = DivCeil(t.cube.N, t.cube.singleCoreN);
        for (uint32_t block = GetBlockIdx(); block < t.batch * down * across; block += cores) {
            const uint64_t image = block / (down * across);
            const uint32_t row = block % down * t.cube.singleCoreM;
            const uint32_t column = block / down % across * t.cube.singleCoreN;
            product.SetTensorA(weightGm[static_cast<uint64_t>(row) * t.cube.Ka]);
            product.SetTensorB(unfoldedGm[image * t.cube.Ka * points + column]);
            product.SetTail(Least(t.cube.M - row, t.cube.singleCoreM), Least(t.cube.N - column, t.cube.singleCoreN));
            product.IterateAll(yGm[(image * t.cube.M + row) * points + column]);
        }
        product.End();
    }

private:
    __aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; } // the last blocks are smaller

    // Write three rows of the unfolded matrix: taps (c, 0, j) to (c, 2, j), where c is the plane's channel.
    __aicore__ inline void Unfold(uint32_t plane, uint32_t j)
    {
        LocalTensor<T> shifted = inQueue.AllocTensor<T>();
        // Column s of the shifted plane is column s + j - 1 of x: j = 0 pads each row on the left and leaves out its
        // last element, j = 2 leaves out its first element and pads on the right.
        const uint32_t whole = t.width * sizeof(T), one = sizeof(T);
        const uint16_t rows = t.height;
        const DataCopyExtParams run{rows, j == 1 ? whole : whole - one, j == 1 ? 0 : one, 0, 0};
        const DataCopyPadExtParams<T> padding{true, static_cast<uint8_t>(j == 0), static_cast<uint8_t>(j == 2),
                                              static_cast<T>(0.0f)};
        DataCopyPad(shifted, xGm[static_cast<uint64_t>(plane) * points + (j == 2 ? 1 : 0)], run, padding);
        inQueue.EnQue(shifted);
        shifted = inQueue.DeQue<T>();
        LocalTensor<T> framed = outQueue.AllocTensor<T>(); // with a row of zeros above and below
        Duplicate(framed, static_cast<T>(0.0f), t.pitch);
        DataCopy(framed[t.pitch], shifted, t.height * t.pitch);
        Duplicate(framed[(t.height + 1) * t.pitch], static_cast<T>(0.0f), t.pitch);
        inQueue.FreeTensor(shifted);
        outQueue.EnQue(framed);
        framed = outQueue.DeQue<T>();
        for (uint32_t i = 0; i < FILTER; ++i) { // row r of tap i is row r + i - 1 of x, which is row r + i here
            const uint64_t tap = (static_cast<uint64_t>(plane) * FILTER + i) * FILTER + j;
            DataCopyPad(unfoldedGm[tap * points], framed[i * t.pitch], DataCopyExtParams{rows, whole, 0, 0, 0});
        }
        outQueue.FreeTensor(framed);
    }

    Conv2dTilingData t;  // the tiling data: the host's header describes its fields
    uint32_t points = 0; // of a plane
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    GlobalTensor<T> xGm, weightGm, yGm, unfoldedGm;
};

extern "C" __global__ __aicore__ void conv_2d(GM_ADDR x, GM_ADDR weight, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); // one cube core and two vector cores in each block
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    KernelConv2d<DTYPE_X> op;
    // Does not return on the cube core, which serves the object from here on: vector cores alone run Init and Process.
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.product, &data.cube);
    op.Init(x, weight, y, workspace, data, &pipe);
    op.Process();
}
