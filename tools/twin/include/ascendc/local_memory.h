// LocalMemAllocator: tensors one behind the other in one memory, without TPipe and queues.
#pragma once
#include "ascendc/tensor.h"

namespace AscendC {
namespace detail {
constexpr TPosition position_in(Hardware memory)
{
    return memory == Hardware::L1       ? TPosition::A1
           : memory == Hardware::L0A    ? TPosition::A2
           : memory == Hardware::L0B    ? TPosition::B2
           : memory == Hardware::L0C    ? TPosition::CO1
           : memory == Hardware::BIAS   ? TPosition::C2
           : memory == Hardware::FIXBUF ? TPosition::C2PIPE2GM
                                        : TPosition::VECCALC;
}
} // namespace detail

template <Hardware hard = Hardware::UB> class LocalMemAllocator {
    static_assert(hard != Hardware::GM && hard != Hardware::MAX, "LocalMemAllocator is for on-chip memories");

public:
    AKGEN_INLINE LocalMemAllocator() {}
    AKGEN_INLINE uint32_t GetCurAddr() const { return next_; }
    template <TPosition pos, class DataType> AKGEN_INLINE LocalTensor<DataType> Alloc(uint32_t tileSize)
    {
        const LocalTensor<DataType> tensor(pos, next_, tileSize);
        next_ += static_cast<uint32_t>(detail::storage_bytes<PrimT<DataType>>(tileSize));
        return tensor;
    }
    template <class DataType> AKGEN_INLINE LocalTensor<DataType> Alloc(uint32_t tileSize)
    {
        return Alloc<detail::position_in(hard), DataType>(tileSize);
    }
    template <class DataType, uint32_t tileSize> AKGEN_INLINE LocalTensor<DataType> Alloc()
    {
        return Alloc<DataType>(tileSize);
    }
    template <TPosition pos, class DataType, uint32_t tileSize> AKGEN_INLINE LocalTensor<DataType> Alloc()
    {
        return Alloc<pos, DataType>(tileSize);
    }
    // A trait brings the position and the size.
    template <class TensorTraitType> AKGEN_INLINE LocalTensor<TensorTraitType> Alloc()
    {
        return Alloc<TensorTraitType::tPos, TensorTraitType>(detail::ElementsOf<TensorTraitType>::value);
    }

private:
    uint32_t next_ = 0;
};

} // namespace AscendC
