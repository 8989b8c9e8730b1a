// Macros of a kernel's entry: tiling data, tiling keys, task types, assertions and prints.
#pragma once
#include "akgen/debug.h"
#include "ascendc/device_utils.h"
#include "ascendc/tensor.h"

// The host engineer's generated header names the operator's tiling structures: AKGEN_TILING_STRUCT, the registered
// default, and AKGEN_TILING_STRUCT_<key> where a key has its own.
#ifndef AKGEN_DIRECT_HOST // where host code and kernels share a file, these are names of host enumerations
// Values of ge::DataType and ge::Format: kernels compare ORIG_DTYPE_X and FORMAT_X with them in #if.
#ifdef ASCENDC_CPU_DEBUG // beside host code, where ge::DT_FLOAT has to stay a name
#include "adv_api/matmul_data_type.h"
#include "graph/types.h"
#define AKGEN_DT(value) akgen_dt_zero + value
#define AKGEN_FORMAT(value) akgen_format_zero + value
#else
#define AKGEN_DT(value) value
#define AKGEN_FORMAT(value) value
#endif
#define DT_FLOAT AKGEN_DT(0)
#define DT_FLOAT16 AKGEN_DT(1)
#define DT_INT8 AKGEN_DT(2)
#define DT_INT32 AKGEN_DT(3)
#define DT_UINT8 AKGEN_DT(4)
#define DT_INT16 AKGEN_DT(6)
#define DT_UINT16 AKGEN_DT(7)
#define DT_UINT32 AKGEN_DT(8)
#define DT_INT64 AKGEN_DT(9)
#define DT_UINT64 AKGEN_DT(10)
#define DT_DOUBLE AKGEN_DT(11)
#define DT_BOOL AKGEN_DT(12)
#define DT_STRING AKGEN_DT(13)
#define DT_COMPLEX64 AKGEN_DT(16)
#define DT_COMPLEX128 AKGEN_DT(17)
#define DT_QINT8 AKGEN_DT(18)
#define DT_QINT32 AKGEN_DT(20)
#define DT_BF16 AKGEN_DT(27)
#define DT_UNDEFINED AKGEN_DT(28)
#define DT_INT4 AKGEN_DT(29)
#define DT_UINT1 AKGEN_DT(30)
#define DT_INT2 AKGEN_DT(31)
#define FORMAT_NCHW AKGEN_FORMAT(0)
#define FORMAT_NHWC AKGEN_FORMAT(1)
#define FORMAT_ND AKGEN_FORMAT(2)
#define FORMAT_NC1HWC0 AKGEN_FORMAT(3)
#define FORMAT_FRACTAL_Z AKGEN_FORMAT(4)
#define FORMAT_HWCN AKGEN_FORMAT(16)
#define FORMAT_NDHWC AKGEN_FORMAT(27)
#define FORMAT_FRACTAL_NZ AKGEN_FORMAT(29)
#define FORMAT_NCDHW AKGEN_FORMAT(30)
#define FORMAT_NDC1HWC0 AKGEN_FORMAT(32)
#endif

#if !defined(TILING_KEY_VAR) && defined(ASCENDC_CPU_DEBUG)
#include "akgen/unit.h"
namespace akgen::twin {
struct UnitKeyWord { // a name alone, so that #if can ask for it
    AKGEN_INLINE constexpr UnitKeyWord() {}
    AKGEN_INLINE operator uint64_t() const { return unit_key(); }
};
} // namespace akgen::twin
static constexpr akgen::twin::UnitKeyWord akgen_unit_key{};
#define TILING_KEY_VAR akgen_unit_key // what the unit test set
#elif !defined(TILING_KEY_VAR)
#define TILING_KEY_VAR 0
#endif
#define TILING_KEY_IS(key) ((TILING_KEY_VAR) == (key))
#define TILING_KEY_LIST(key1, key2) (TILING_KEY_IS(key1) || TILING_KEY_IS(key2))

#define GET_TILING_DATA_WITH_STRUCT(tiling_struct, tiling_data, tiling_arg)                                            \
    tiling_struct tiling_data;                                                                                         \
    akgen::twin::read_tiling(&tiling_data, reinterpret_cast<const uint8_t *>(tiling_arg), sizeof(tiling_struct))
#if !defined(ASCENDC_CPU_DEBUG) || !defined(GET_TILING_DATA) // a unit test may bring its own
#define GET_TILING_DATA(tiling_data, tiling_arg)                                                                       \
    GET_TILING_DATA_WITH_STRUCT(AKGEN_TILING_STRUCT, tiling_data, tiling_arg)
#endif
#define GET_TILING_DATA_MEMBER(tiling_struct, member, var, tiling_arg)                                                 \
    decltype(tiling_struct::member) var;                                                                               \
    akgen::twin::read_tiling(                                                                                          \
        &var, reinterpret_cast<const uint8_t *>(tiling_arg) + __builtin_offsetof(tiling_struct, member), sizeof(var))
#define GET_TILING_DATA_PTR_WITH_STRUCT(tiling_struct, dst_ptr, tiling_arg)                                            \
    tiling_struct akgen_##dst_ptr;                                                                                     \
    akgen::twin::read_tiling(&akgen_##dst_ptr, reinterpret_cast<const uint8_t *>(tiling_arg), sizeof(tiling_struct));  \
    const tiling_struct *dst_ptr = &akgen_##dst_ptr
#define COPY_TILING_WITH_STRUCT(tiling_struct, src_ptr, dst_ptr)                                                       \
    tiling_struct akgen_##dst_ptr;                                                                                     \
    akgen::twin::read_tiling(&akgen_##dst_ptr, reinterpret_cast<const uint8_t *>(src_ptr), sizeof(tiling_struct));     \
    const tiling_struct *dst_ptr = &akgen_##dst_ptr
#define COPY_TILING_WITH_ARRAY(arr_type, arr_count, src_ptr, dst_ptr)                                                  \
    arr_type akgen_##dst_ptr[arr_count];                                                                               \
    akgen::twin::read_tiling(akgen_##dst_ptr, reinterpret_cast<const uint8_t *>(src_ptr), sizeof(akgen_##dst_ptr));    \
    const arr_type *dst_ptr = akgen_##dst_ptr
// A plain structure registered in the kernel is the default; the host side reads the same names from the source.
#ifdef ASCENDC_CPU_DEBUG    // no host side: what the kernel registers is what it reads
#ifndef AKGEN_TILING_STRUCT // or what a generated header names
#define AKGEN_TILING_STRUCT akgen_default_tiling
#endif
#define REGISTER_TILING_DEFAULT(tiling_struct) using akgen_default_tiling = tiling_struct
#else
#define REGISTER_TILING_DEFAULT(tiling_struct)                                                                         \
    static_assert(sizeof(tiling_struct) > 0, "a tiling structure must be complete where it is registered")
#endif
#define REGISTER_TILING_FOR_TILINGKEY(condition, tiling_struct)                                                        \
    static_assert(sizeof(tiling_struct) > 0, "a tiling structure must be complete where it is registered")
#define REGISTER_NONE_TILING

// Kept in a section of the kernel's file, where the launcher reads which cores take part: {whose, key, type}. Whose: 0 the
// key's that this file is built for, 1 all keys', 2 a library's where nobody declares, 3 another key's.
#define AKGEN_TASK_TYPE(whose, key, type)                                                                              \
    __asm__ volatile(".pushsection akgen_task,\"a\"\n.quad %c0, %c1, %c2\n.popsection" ::"i"(whose), "i"(key),         \
                     "i"(type))
#define KERNEL_TASK_TYPE_DEFAULT(type) AKGEN_TASK_TYPE(1L, 0L, static_cast<long>(type))
#ifdef ASCENDC_CPU_DEBUG // where the key is no constant, and a unit test says which cores run
#define KERNEL_TASK_TYPE(key, type) AKGEN_TASK_TYPE(3L, static_cast<long>(key), static_cast<long>(type))
#else
#define KERNEL_TASK_TYPE(key, type)                                                                                    \
    AKGEN_TASK_TYPE((key) == (TILING_KEY_VAR) ? 0L : 3L, static_cast<long>(key), static_cast<long>(type))
#endif
#define KERNEL_TYPE_MIX_VECTOR_CORE KERNEL_TYPE_AIV_ONLY

#define ASCEND_IS_AIV (g_coreType != AscendC::AIC)
#define ASCEND_IS_AIC (g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIV (g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIC (g_coreType != AscendC::AIC)

// ASSERT compiles to nothing on the chip, so that public kernels put it where no statement may stand. ascendc_assert and
// assert act, with or without a text, unless the project is built with -DASCENDC_DUMP=0.
#define ASSERT(...)
#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
#define AKGEN_ASSERT(condition)
#else
#define AKGEN_ASSERT(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            akgen::twin::assert_failed(#condition, __FILE__, __LINE__);                                                \
        }                                                                                                              \
    } while (0)
#endif
#define ascendc_assert(condition, ...) AKGEN_ASSERT(condition)
#define ASCENDC_ASSERT(condition, behavior)
#define ASCENDC_DEBUG_ASSERT(condition, behavior)
#define KERNEL_LOG(...)
#define TRACE_START(apid)
#define TRACE_STOP(apid)
#define ENABLE_DETERMINISTIC()
#define ENABLE_PRINTF()
#define ENABLE_PRINTF_DUMP_SIZE()
#ifdef ASCENDC_CPU_DEBUG // the host's code of a unit test asserts as well: a condition that fails ends the program
#include <cassert>
#undef assert
#define assert(condition, ...)                                                                                         \
    (static_cast<bool>(condition) ? void(0) : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#else
#define assert(condition, ...) AKGEN_ASSERT(condition)
#endif

namespace AscendC {
namespace detail {
// A C variable argument list takes half and bfloat16_t for what they are not.
template <typename T> AKGEN_INLINE T printable(T value) { return value; }
AKGEN_INLINE double printable(half value) { return static_cast<double>(value); }
AKGEN_INLINE double printable(bfloat16_t value) { return static_cast<double>(static_cast<float>(value)); }
} // namespace detail
template <typename... Args> AKGEN_INLINE void PRINTF(const char *format, Args... args)
{
    akgen::twin::print(format, detail::printable(args)...);
}
#ifdef AKGEN_DIRECT_HOST // the host's half of a file with kernels, where this name may stand for the C library's
template <typename... Args> AKGEN_INLINE void printf(const char *format, Args... args)
{
    __builtin_printf(format, args...);
}
#else
template <typename... Args> AKGEN_INLINE void printf(const char *format, Args... args)
{
    akgen::twin::print(format, detail::printable(args)...);
}
#endif
template <typename T> AKGEN_INLINE void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
    akgen::twin::dump(reinterpret_cast<const uint8_t *>(tensor.GetPhyAddr()), detail::dtype_of<T>(), dumpSize, desc);
}
template <typename T> AKGEN_INLINE void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
    akgen::twin::dump(reinterpret_cast<const uint8_t *>(tensor.GetPhyAddr()), detail::dtype_of<T>(), dumpSize, desc);
}
// The shape decides how the vendor's tool prints the dump.
template <typename T>
AKGEN_INLINE void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &)
{
    DumpTensor(tensor, desc, dumpSize);
}
template <typename T>
AKGEN_INLINE void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &)
{
    DumpTensor(tensor, desc, dumpSize);
}
template <typename T>
AKGEN_INLINE void DumpAccChkPoint(const LocalTensor<T> &tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize)
{
    DumpTensor(tensor[countOff], index, dumpSize);
}
template <typename T>
AKGEN_INLINE void DumpAccChkPoint(const GlobalTensor<T> &tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize)
{
    DumpTensor(tensor[countOff], index, dumpSize);
}
// Call a function on one kind of core.
enum class EngineType : uint8_t { AIC = 0, AIV = 1 };
template <EngineType engine, auto funPtr, class... Args> AKGEN_INLINE void Async(Args... args)
{
    if (g_coreType == (engine == EngineType::AIC ? AscendC::AIC : AscendC::AIV)) {
        funPtr(args...);
    }
}
// Marks for the vendor's profilers: nothing happens between them that would not happen without.
AKGEN_INLINE void MetricsProfStart() {}
AKGEN_INLINE void MetricsProfStop() {}
AKGEN_INLINE void PrintTimeStamp(uint32_t descId)
{
    akgen::twin::print("time stamp %u: cycle %lld", descId, static_cast<long long>(akgen::twin::system_cycle()));
}
AKGEN_INLINE void Trap() { akgen::twin::kernel_trap(); }
} // namespace AscendC

// The same for code without tensors: `memory` is any of the core's or global.
template <typename T> AKGEN_INLINE void asc_dump(T *memory, uint32_t desc, uint32_t dump_size)
{
    akgen::twin::dump(reinterpret_cast<const uint8_t *>(memory), AscendC::detail::dtype_of<T>(), dump_size, desc);
}
template <typename T> AKGEN_INLINE void asc_dump_gm(__gm__ T *m, uint32_t desc, uint32_t n) { asc_dump(m, desc, n); }
template <typename T> AKGEN_INLINE void asc_dump_ubuf(__ubuf__ T *m, uint32_t desc, uint32_t n)
{
    asc_dump(m, desc, n);
}
template <typename T> AKGEN_INLINE void asc_dump_l1buf(__cbuf__ T *m, uint32_t desc, uint32_t n)
{
    asc_dump(m, desc, n);
}
template <typename T> AKGEN_INLINE void asc_dump_cbuf(__cc__ T *m, uint32_t desc, uint32_t n) { asc_dump(m, desc, n); }
AKGEN_INLINE void asc_prof_start() {}
AKGEN_INLINE void asc_prof_stop() {}
AKGEN_INLINE void asc_time_stamp(uint32_t desc) { AscendC::PrintTimeStamp(desc); }
