// Enumerations and constants of the vendor's public interface.
#pragma once
#include "ascendc/language.h"
#include "kernel_tiling/data_format.h"

// The most dimensions that a tensor's shape information keeps. A kernel that keeps none defines it as 0 beforehand.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 8
#endif

enum pipe_t {
    PIPE_S = 0,
    PIPE_V = 1,
    PIPE_M = 2,
    PIPE_MTE1 = 3,
    PIPE_MTE2 = 4,
    PIPE_MTE3 = 5,
    PIPE_ALL = 6,
    PIPE_MTE4 = 7,
    PIPE_MTE5 = 8,
    PIPE_V2 = 9,
    PIPE_FIX = 10,
};
enum event_t {
    EVENT_ID0 = 0,
    EVENT_ID1,
    EVENT_ID2,
    EVENT_ID3,
    EVENT_ID4,
    EVENT_ID5,
    EVENT_ID6,
    EVENT_ID7,
    EVENT_ID_MAX
};
enum mem_t { L1 = 0, L0A, L0B, L0C, UB, BIAS };
enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum mem_dsb_t { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ };
enum atomic_type_t { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum atomic_op_t { ATOMIC_SUM = 0, ATOMIC_MAX, ATOMIC_MIN };
enum KernelTypeTag {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    AKGEN_TYPE_OF_VECTOR_MARK = 16, // what `__vector__` before a kernel asks for
};

namespace AscendC {

enum class TPosition : uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX,
};
using QuePosition = TPosition;
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class RoundMode : uint8_t { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class SaturationMode : uint8_t { FLOAT, CAST };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class ReduceMode : uint8_t { REDUCE_MAX, REDUCE_MIN, REDUCE_SUM };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class CacheMode : uint8_t {
    CACHE_MODE_DISABLE = 0,
    CACHE_MODE_NORMAL = 1,
    CACHE_MODE_LAST = 2,
    CACHE_MODE_PERSISTENT = 4
};
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
using TTagType = int32_t;
// How rows lie behind each other in the Unified Buffer; later chips can leave out the padding between them.
enum class PaddingMode : uint8_t { Normal = 0, Compact };
enum class TBufState : uint8_t { FREE, OCCUPIED, ENQUE, DEQUE };
enum class HardEvent : uint8_t {
    MTE2_MTE1,
    MTE1_MTE2,
    MTE1_M,
    M_MTE1,
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    M_V,
    V_M,
    V_V,
    MTE3_MTE1,
    MTE1_MTE3,
    MTE1_V,
    MTE2_M,
    M_MTE2,
    V_MTE1,
    M_FIX,
    FIX_M,
    MTE3_MTE2,
    MTE2_MTE3,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
    MTE2_FIX,
    FIX_MTE2,
    FIX_S,
    M_S,
    FIX_MTE3,
    MTE1_FIX,
    FIX_MTE1,
    FIX_FIX,
    FIX_V,
    V_FIX,
    MAX,
};
enum class HardEventAic : uint8_t { MTE1_M = 2, M_MTE1 = 3 };
enum class MemoryT : uint8_t { L1 = 0, L0A, L0B, L0C, UB, BIAS };
enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };

enum class AtomicDtype { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM = 0 };
enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

using TEventID = int8_t;
constexpr TEventID INVALID_TEVENTID = static_cast<TEventID>(-1);
using TBufHandle = uint8_t *;

// Two 4-bit integers share a byte, so that sizeof(int4b_t) does not tell the storage; see detail::storage_bytes.
struct int4b_t {
    uint8_t nibble;
};

constexpr int32_t MASK_PLACEHOLDER_INT = 0;
constexpr uint64_t MASK_PLACEHOLDER = 0;
enum class MASK_PLACEHOLDER_LIST : uint8_t { PLACEHOLDER };
constexpr uint32_t DEFAULT_BLOCK_SIZE = 256;
constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_BLK_NUM = 8;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint8_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
constexpr uint8_t DEFAULT_REPEAT_TIME = 1;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t ONE_BYTE_BIT_SIZE = 8;
constexpr uint32_t ONE_DUMP_BACKUP_SIZE = 1024;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint32_t ONE_REPEAT_SIZE = 256;
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t CUBE_MAX_SIZE = 256;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr int32_t MIN_REPEAT_TIMES = 0;
constexpr uint32_t B32_BYTE_SIZE = 4;
constexpr uint32_t B16_BYTE_SIZE = 2;
constexpr uint32_t B8_BYTE_SIZE = 1;
constexpr int32_t MAX_BLOCK_COUNT = 4095;
constexpr uint32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr uint32_t TMP_UB_SIZE = 8 * 1024;
constexpr uint32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024; // what is left beside the temporary part
constexpr uint32_t TMP_UB_OFFSET = 184 * 1024;
constexpr uint32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr uint32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr uint32_t TOTAL_L0B_SIZE = 64 * 1024;
constexpr uint32_t TOTAL_L0C_SIZE = 128 * 1024;
constexpr uint32_t SINGLE_MSG_SIZE = 64;
constexpr uint32_t VALID_L1_SIZE = TOTAL_L1_SIZE - SINGLE_MSG_SIZE;
constexpr uint8_t BRCB_BROADCAST_NUMBER = 8;
constexpr uint8_t BRCB_MAX_REPEAT_SIZE = 254;
constexpr uint64_t FULL_MASK = 0xffffffffffffffffULL;
constexpr uint64_t FULL_MASK_LEN = 128;
constexpr uint64_t HLAF_MASK_LEN = 64;

} // namespace AscendC
