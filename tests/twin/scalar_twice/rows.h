// What the kernels beside this file share: the rows of a core, and whole rows in and out of the Unified Buffer.
#pragma once
#include "kernel_operator.h"
using namespace AscendC;

struct Share {
    uint32_t rows, cols, first, count; // of the last input; `count` rows from `first` on are this core's
};

__aicore__ inline Share ShareOf(uint32_t rows, uint32_t cols)
{
    uint32_t each = rows / GetBlockNum();
    return {rows, cols, each * (uint32_t)GetBlockIdx(), each};
}

template <typename T> __aicore__ inline LocalTensor<T> Room(TPipe &pipe, uint32_t count)
{
    TBuf<> buffer;
    pipe.InitBuffer(buffer, (count * sizeof(T) + 31) / 32 * 32);
    return buffer.Get<T>(count);
}

template <typename T> __aicore__ inline GlobalTensor<T> Global(GM_ADDR at)
{
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T *)at);
    return tensor;
}

template <typename T>
__aicore__ inline LocalTensor<T> Load(TPipe &pipe, GM_ADDR from, uint32_t first, uint32_t count)
{
    LocalTensor<T> to = Room<T>(pipe, count);
    DataCopy(to, Global<T>(from)[first], count);
    PipeBarrier<PIPE_ALL>();
    return to;
}

template <typename T>
__aicore__ inline void Store(GM_ADDR to, const LocalTensor<T> &from, uint32_t first, uint32_t count)
{
    PipeBarrier<PIPE_ALL>();
    DataCopy(Global<T>(to)[first], from, count);
    PipeBarrier<PIPE_ALL>();
}

// The byte offsets that turn `rows` x `cols` elements of four bytes round; both are powers of two.
__aicore__ inline LocalTensor<uint32_t> Turned(TPipe &pipe, uint32_t rows, uint32_t cols, int32_t rowBits)
{
    int32_t count = rows * cols;
    LocalTensor<int32_t> at = Room<int32_t>(pipe, count), column = Room<int32_t>(pipe, count);
    CreateVecIndex(at, (int32_t)0, count);
    ShiftRight(column, at, rowBits, count);
    LocalTensor<int32_t> row = Room<int32_t>(pipe, count);
    ShiftLeft(row, column, rowBits, count);
    Sub(row, at, row, count);
    Muls(row, row, (int32_t)(cols * 4), count);
    Muls(column, column, (int32_t)4, count);
    Add(at, row, column, count);
    return at.ReinterpretCast<uint32_t>();
}

// One number of each row, for all of its 64 elements.
constexpr uint32_t LANES = 64;
__aicore__ inline LocalTensor<float> EachRow(TPipe &pipe, const LocalTensor<float> &values, uint32_t count)
{
    LocalTensor<float> wide = Room<float>(pipe, count * 8);
    Brcb(wide, values, (uint8_t)(count / 8), {1, 8});
    return wide;
}
