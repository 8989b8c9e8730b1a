// Global memory: what copies out of a core do to it (atomics), its cache, values past the cache, filling.
#pragma once
#include "akgen/copy.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(SetAtomicAdd, half, bfloat16_t, float, int8_t, int16_t, int32_t)
AKGEN_TAKES(SetAtomicMax, half, bfloat16_t, float, int8_t, int16_t, int32_t)
AKGEN_TAKES(SetAtomicMin, half, bfloat16_t, float, int8_t, int16_t, int32_t)
AKGEN_TAKES(SetAtomicType, half, bfloat16_t, float, int8_t, int16_t, int32_t)
} // namespace detail

// -- atomics: what a copy out of the core does to global memory -------------------------------------------------------

template <typename T> AKGEN_INLINE void SetAtomicAdd()
{
    detail::SetAtomicAdd_takes<T>();
    akgen::twin::set_atomic(akgen::twin::Atomic::add, detail::dtype_of<T>());
}
template <typename T> AKGEN_INLINE void SetAtomicMax()
{
    detail::SetAtomicMax_takes<T>();
    akgen::twin::set_atomic(akgen::twin::Atomic::max, detail::dtype_of<T>());
}
template <typename T> AKGEN_INLINE void SetAtomicMin()
{
    detail::SetAtomicMin_takes<T>();
    akgen::twin::set_atomic(akgen::twin::Atomic::min, detail::dtype_of<T>());
}
AKGEN_INLINE void SetAtomicNone() { akgen::twin::set_atomic(akgen::twin::Atomic::none, akgen::twin::DType::NONE); }
template <typename T> AKGEN_INLINE void SetAtomicType()
{
    detail::SetAtomicType_takes<T>();
    akgen::twin::set_atomic_type(detail::dtype_of<T>());
}
template <AtomicDtype type, AtomicOp op> AKGEN_INLINE void SetStoreAtomicConfig()
{
    using akgen::twin::DType;
    constexpr DType types[] = {DType::NONE, DType::F32, DType::F16, DType::I16, DType::I32, DType::I8, DType::BF16};
    constexpr DType dtype = types[static_cast<uint8_t>(type)];
    akgen::twin::set_atomic(dtype == DType::NONE ? akgen::twin::Atomic::none : akgen::twin::Atomic::add, dtype);
}
AKGEN_INLINE void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp)
{
    using akgen::twin::DType;
    const DType type = akgen::twin::atomic_type();
    const AtomicDtype said = type == DType::F32    ? AtomicDtype::ATOMIC_F32
                             : type == DType::F16  ? AtomicDtype::ATOMIC_F16
                             : type == DType::I16  ? AtomicDtype::ATOMIC_S16
                             : type == DType::I32  ? AtomicDtype::ATOMIC_S32
                             : type == DType::I8   ? AtomicDtype::ATOMIC_S8
                             : type == DType::BF16 ? AtomicDtype::ATOMIC_BF16
                                                   : AtomicDtype::ATOMIC_NONE;
    atomicType = static_cast<uint16_t>(said);
    atomicOp = static_cast<uint16_t>(AtomicOp::ATOMIC_SUM);
}
AKGEN_INLINE void DisableDmaAtomic() { SetAtomicNone(); }

template <typename T, CacheLine entireType, DcciDst dcciDst>
AKGEN_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst)
{
    akgen::twin::clean_cache(detail::address(dst), entireType == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine entireType> AKGEN_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst)
{
    akgen::twin::clean_cache(detail::address(dst), entireType == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine entireType, DcciDst dcciDst>
AKGEN_INLINE void DataCacheCleanAndInvalid(const LocalTensor<T> &)
{
}
template <typename T> AKGEN_INLINE void DataCachePreload(const GlobalTensor<T> &, const int64_t) {}

// A value of global memory past the data cache.
template <typename T> AKGEN_INLINE T ReadGmByPassDCache(__gm__ T *addr)
{
    return *reinterpret_cast<T *>(
        akgen::twin::global_scalar_direct(reinterpret_cast<uint8_t *>(addr), sizeof(T), false));
}
template <typename T> AKGEN_INLINE void WriteGmByPassDCache(__gm__ T *addr, T value)
{
    *reinterpret_cast<T *>(akgen::twin::global_scalar_direct(reinterpret_cast<uint8_t *>(addr), sizeof(T), true)) =
        value;
}

template <typename T>
AKGEN_INLINE void InitGlobalMemory(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value)
{
    akgen::twin::fill_global(detail::address(gmWorkspaceAddr), size, sizeof(T), detail::bits(value));
}
template <typename T> AKGEN_INLINE void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = T(0))
{
    akgen::twin::fill_global(detail::address(gmWorkspaceAddr), size, sizeof(T), detail::bits(value));
}
template <typename T> AKGEN_INLINE void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value)
{
    akgen::twin::fill_global(detail::address(gmWorkspaceAddr), size, sizeof(T), detail::bits(value));
}

} // namespace AscendC
