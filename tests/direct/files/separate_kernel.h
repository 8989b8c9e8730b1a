#pragma once
#include "kernel_operator.h"

template <typename T> class SubKernel {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR z)
    {
        constexpr uint32_t length = 512;
        const uint32_t start = length * AscendC::GetBlockIdx();
        xGm.SetGlobalBuffer((__gm__ T *)x + start, length);
        yGm.SetGlobalBuffer((__gm__ T *)y + start, length);
        zGm.SetGlobalBuffer((__gm__ T *)z + start, length);
        pipe.InitBuffer(inX, 1, length * sizeof(T));
        pipe.InitBuffer(inY, 1, length * sizeof(T));
        pipe.InitBuffer(outZ, 1, length * sizeof(T));
        auto a = inX.template AllocTensor<T>();
        auto b = inY.template AllocTensor<T>();
        AscendC::DataCopy(a, xGm, length);
        AscendC::DataCopy(b, yGm, length);
        inX.EnQue(a);
        inY.EnQue(b);
        a = inX.template DeQue<T>();
        b = inY.template DeQue<T>();
        auto c = outZ.template AllocTensor<T>();
        AscendC::Sub(c, a, b, length);
        outZ.EnQue(c);
        inX.FreeTensor(a);
        inY.FreeTensor(b);
        c = outZ.template DeQue<T>();
        AscendC::DataCopy(zGm, c, length);
        outZ.FreeTensor(c);
    }

private:
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX, inY;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outZ;
    AscendC::GlobalTensor<T> xGm, yGm, zGm;
};
