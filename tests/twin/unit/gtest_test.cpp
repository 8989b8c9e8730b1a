// With gtest: a fault of the kernel fails the case that ran it.
#include <gtest/gtest.h>
#include "tikicpulib.h"

extern "C" __global__ __aicore__ void copy(GM_ADDR x, GM_ADDR z, uint32_t length)
{
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
    AscendC::GlobalTensor<float> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x), length);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(z), length);
    pipe.InitBuffer(queue, 1, length * sizeof(float));
    AscendC::LocalTensor<float> v = queue.AllocTensor<float>();
    AscendC::DataCopy(v, from, length);
    queue.EnQue(v);
    v = queue.DeQue<float>();
    AscendC::DataCopy(to, v, length);
    queue.FreeTensor(v);
}

class Copy : public testing::Test {
protected:
    void SetUp() override
    {
        x = static_cast<float *>(AscendC::GmAlloc(256 * sizeof(float)));
        z = static_cast<float *>(AscendC::GmAlloc(256 * sizeof(float)));
        AscendC::SetKernelMode(KernelMode::AIV_MODE);
    }
    void TearDown() override
    {
        AscendC::GmFree(x);
        AscendC::GmFree(z);
    }
    float *x = nullptr, *z = nullptr;
};

TEST_F(Copy, fits)
{
    x[255] = 7.0f;
    ICPU_RUN_KF(copy, 1, (uint8_t *)x, (uint8_t *)z, 256);
    EXPECT_EQ(z[255], 7.0f);
}
TEST_F(Copy, reaches_too_far) { ICPU_RUN_KF(copy, 1, (uint8_t *)x, (uint8_t *)z, 4096); }
