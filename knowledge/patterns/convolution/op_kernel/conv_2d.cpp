#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: one moves while the other is computed
constexpr uint32_t SIDE = 3;  // filters are 3 x 3, with a border of one around the image

// A convolution as a product: filters [filters, taps] times the unfolded image [taps, points].
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
        pipe->InitBuffer(inQueue, COPIES, t.height * t.stride * sizeof(T));
        pipe->InitBuffer(outQueue, COPIES, (t.height + 2) * t.stride * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        const uint32_t cores = GetBlockNum() * GetTaskRation(); // vector cores: two beside each cube core
        for (uint32_t part = GetBlockIdx(); part < t.batch * t.channels * SIDE; part += cores) {
            Unfold(part / SIDE, part % SIDE);
        }
        SyncAll(); // a product reads what other cores have unfolded
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

    // Write the three rows of the unfolded matrix that hold one plane (of one image and channel) moved sideways by j - 1.
    __aicore__ inline void Unfold(uint32_t plane, uint32_t j)
    {
        LocalTensor<T> moved = inQueue.AllocTensor<T>();
        // j = 0 reads all but each row's last element, behind one of padding; j = 2 all but the first, before one of padding.
        const uint32_t whole = t.width * sizeof(T), one = sizeof(T);
        const uint16_t rows = t.height;
        const DataCopyExtParams run{rows, j == 1 ? whole : whole - one, j == 1 ? 0 : one, 0, 0};
        const DataCopyPadExtParams<T> padding{true, static_cast<uint8_t>(j == 0), static_cast<uint8_t>(j == 2),
                                              static_cast<T>(0.0f)};
        DataCopyPad(moved, xGm[static_cast<uint64_t>(plane) * points + (j == 2 ? 1 : 0)], run, padding);
        inQueue.EnQue(moved);
        moved = inQueue.DeQue<T>();
        LocalTensor<T> framed = outQueue.AllocTensor<T>(); // with a row of zeros above and below
        Duplicate(framed, static_cast<T>(0.0f), t.stride);
        DataCopy(framed[t.stride], moved, t.height * t.stride);
        Duplicate(framed[(t.height + 1) * t.stride], static_cast<T>(0.0f), t.stride);
        inQueue.FreeTensor(moved);
        outQueue.EnQue(framed);
        framed = outQueue.DeQue<T>();
        for (uint32_t i = 0; i < SIDE; ++i) { // moved down by i - 1: the copy starts at row i of the frame
            const uint64_t tap = (static_cast<uint64_t>(plane) * SIDE + i) * SIDE + j;
            DataCopyPad(unfoldedGm[tap * points], framed[i * t.stride], DataCopyExtParams{rows, whole, 0, 0, 0});
        }
        outQueue.FreeTensor(framed);
    }

    Conv2dTilingData t; // what the host decided
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
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.product, &data.cube);
    op.Init(x, weight, y, workspace, data, &pipe);
    op.Process();
}
