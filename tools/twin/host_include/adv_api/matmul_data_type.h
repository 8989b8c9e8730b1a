// Element types as the tiling of the high-level Matmul names them. A kernel in the same program has to see them before it
// has DT_FLOAT and its kin as macros.
#ifndef AKGEN_ADV_API_MATMUL_DATA_TYPE_H
#define AKGEN_ADV_API_MATMUL_DATA_TYPE_H
#include <cstdint>

namespace matmul_tiling {

enum class DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_BFLOAT16 = 27,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
#ifdef ASCENDC_CPU_DEBUG
    akgen_dt_zero = 0, // as in graph/types.h
#endif
};
#ifdef ASCENDC_CPU_DEBUG
constexpr DataType operator+(DataType zero, int value) { return static_cast<DataType>(static_cast<int>(zero) + value); }
#endif

} // namespace matmul_tiling
#endif
