// Global memory: what copies out of a core do to it (atomics), its cache, values past the cache, filling.
#pragma once
#include "akgen/copy.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(SetAtomicType, half, bfloat16_t, float, int8_t, int16_t, int32_t)
} // namespace detail

// -- atomics: what a copy out of the core does to global memory -------------------------------------------------------

#define AKGEN_ATOMIC(Name, dtypes, op)                                                                                 \
    template <typename T> AKGEN_INLINE void Name()                                                                     \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::set_atomic(akgen::twin::Atomic::op, detail::dtype_of<T>());                                       \
    }
#include "akgen/tables/instruction.def"
AKGEN_INLINE void SetAtomicNone() { akgen::twin::set_atomic(akgen::twin::Atomic::none, akgen::twin::DType::NONE); }
template <typename T> AKGEN_INLINE void SetAtomicType()
{
    detail::SetAtomicType_takes<T>();
    akgen::twin::set_atomic_type(detail::dtype_of<T>());
}
namespace detail {
struct AtomicName {
    AtomicDtype name;
    akgen::twin::DType type;
};
constexpr AtomicName ATOMIC_NAMES[] = {
    {AtomicDtype::ATOMIC_NONE, akgen::twin::DType::NONE}, {AtomicDtype::ATOMIC_F32, akgen::twin::DType::F32},
    {AtomicDtype::ATOMIC_F16, akgen::twin::DType::F16},   {AtomicDtype::ATOMIC_S16, akgen::twin::DType::I16},
    {AtomicDtype::ATOMIC_S32, akgen::twin::DType::I32},   {AtomicDtype::ATOMIC_S8, akgen::twin::DType::I8},
    {AtomicDtype::ATOMIC_BF16, akgen::twin::DType::BF16},
};
} // namespace detail
template <AtomicDtype type, AtomicOp op> AKGEN_INLINE void SetStoreAtomicConfig()
{
    for (const detail::AtomicName &row : detail::ATOMIC_NAMES) {
        if (row.name == type) {
            const bool off = type == AtomicDtype::ATOMIC_NONE;
            akgen::twin::set_atomic(off ? akgen::twin::Atomic::none : akgen::twin::Atomic::add, row.type);
        }
    }
}
AKGEN_INLINE void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp)
{
    AtomicDtype said = AtomicDtype::ATOMIC_NONE;
    for (const detail::AtomicName &row : detail::ATOMIC_NAMES) {
        if (row.type == akgen::twin::atomic_type()) {
            said = row.name;
        }
    }
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
