// Compare: element by element into one bit each.
#include "loops.h"

#include "akgen/vector.h"
#include "keyed.h"
#include "record.h"
#include "state.h"

namespace akgen::twin {
namespace {

namespace comparisons {
#define AKGEN_CMPMODE(Mode, symbol)                                                                                    \
    struct Mode {                                                                                                      \
        template <typename T> static bool holds(T a, T b) { return a symbol b; }                                       \
    };
#include "akgen/tables/compare.def"
} // namespace comparisons

template <typename Comparison, typename T> void flags(uint8_t *out, const T *a, const T *b, size_t n)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        out[i] = Comparison::holds(a[i], b[i]) ? 1 : 0;
    }
}
template <typename T> void flags(uint8_t *out, const T *a, const T *b, size_t n, uint8_t mode)
{
    switch (static_cast<CompareMode>(mode)) {
#define AKGEN_CMPMODE(Mode, symbol)                                                                                    \
    case CompareMode::Mode: return flags<comparisons::Mode>(out, a, b, n);
#include "akgen/tables/compare.def"
    case CompareMode::COUNT: break;
    }
    flags<comparisons::NE>(out, a, b, n); // of a number that is no mode
}
// One byte per element, n <= chunk_elements. A scalar comes as a filled `b`.
void compare_chunk(DType type, uint8_t *out, const uint8_t *a, const uint8_t *b, size_t n, uint8_t mode)
{
    switch (type) {
    case DType::F32: return flags(out, reinterpret_cast<const float *>(a), reinterpret_cast<const float *>(b), n, mode);
    case DType::F16: {
        alignas(64) float x[chunk_elements], y[chunk_elements];
        widen_half(reinterpret_cast<const uint16_t *>(a), x, n);
        widen_half(reinterpret_cast<const uint16_t *>(b), y, n);
        return flags(out, x, y, n, mode);
    }
    case DType::I32:
        return flags(out, reinterpret_cast<const int32_t *>(a), reinterpret_cast<const int32_t *>(b), n, mode);
    case DType::I16:
        return flags(out, reinterpret_cast<const int16_t *>(a), reinterpret_cast<const int16_t *>(b), n, mode);
    default: return flags(out, reinterpret_cast<const uint16_t *>(a), reinterpret_cast<const uint16_t *>(b), n, mode);
    }
}
// Pack up to 8 flags into a byte; the bits past n keep what they were.
void pack(uint8_t *dst, const uint8_t *flag, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        const size_t m = n - i < 8 ? n - i : 8;
        unsigned byte = 0;
        for (size_t k = 0; k < m; ++k) {
            byte |= static_cast<unsigned>(flag[i + k]) << k;
        }
        const unsigned kept = m < 8 ? dst[i / 8] & ~((1u << m) - 1u) & 0xffu : 0u;
        dst[i / 8] = static_cast<uint8_t>(byte | kept);
    }
}

struct Scalar {
    alignas(64) uint8_t filled[chunk_elements * 4];
    Scalar(uint64_t bits, uint32_t bytes)
    {
        for (size_t i = 0; i < chunk_elements; ++i) {
            std::memcpy(filled + i * bytes, &bits, bytes);
        }
    }
};

struct ModeName {
    CompareMode key;
    const char *name;
};
constexpr ModeName mode_names[] = {
#define AKGEN_CMPMODE(Mode, symbol) {CompareMode::Mode, #Mode},
#include "akgen/tables/compare.def"
};
static_assert(one_row_each<CompareMode>(mode_names));

// Integers are compared for equality only.
void require_mode(const char *api, const void *pc, DType type, uint8_t mode)
{
    if (type == DType::I32 && static_cast<CompareMode>(mode) != CompareMode::EQ) {
        trap("COMPARE_MODE", api, pc, "%s compares int32_t with CMPMODE::EQ only, not with CMPMODE::%s", api,
             mode < static_cast<uint8_t>(CompareMode::COUNT) ? mode_names[mode].name : "?");
    }
}

void count_form(const ApiFacts &facts, const void *pc, DType type, View dst, View src0, View src1, const Scalar *scalar,
                uint8_t mode, int64_t count)
{
    const char *api = facts.name;
    const uint32_t bytes = dtype_bytes(type);
    require_mode(api, pc, type, mode);
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src0", src0);
    const uint32_t lanes = 256 / bytes;
    const Walk w = walk_count(api, pc, lanes, count);
    if (w.active == 0) {
        return;
    }
    if (static_cast<uint64_t>(count) * bytes % 256 != 0) {
        warn("COMPARE_COUNT", api, pc,
             "%s compares whole repeats of 256 bytes; %lld elements of %s are %lld bytes, and what is past the last "
             "multiple is not compared on every CANN version",
             api, static_cast<long long>(count), dtype_name(type), static_cast<long long>(count * bytes));
    }
    const Operand a{"src0", src0, bytes * 8, 1, 8, Use::READ};
    Instr instr = vector_instr(facts, pc, type, w);
    add_access(instr, w, a);
    if (!scalar) {
        require_operand(api, pc, "src1", src1);
        add_access(instr, w, Operand{"src1", src1, bytes * 8, 1, 8, Use::READ});
    }
    const uint64_t out_bytes = (w.active + 7) / 8;
    instr.access[instr.n_access++] = Access{dst.data, out_bytes, 1, 0, true, dst.size_bytes};
    issue(instr);
    uint8_t flag[chunk_elements];
    for (size_t at = 0; at < w.active; at += chunk_elements) {
        const size_t m = w.active - at < chunk_elements ? w.active - at : chunk_elements;
        compare_chunk(type, flag, src0.data + at * bytes, scalar ? scalar->filled : src1.data + at * bytes, m, mode);
        pack(dst.data + at / 8, flag, m);
    }
}

void repeat_form(const ApiFacts &facts, const void *pc, DType type, View dst, View src0, View src1,
                 const Scalar *scalar, uint8_t mode, const MaskArg &mask, uint32_t repeat, const Strides &strides)
{
    const char *api = facts.name;
    const uint32_t bytes = dtype_bytes(type);
    require_mode(api, pc, type, mode);
    require_operand(api, pc, "src0", src0);
    if (!scalar) {
        require_operand(api, pc, "src1", src1);
    }
    const uint32_t lanes = 256 / bytes;
    const Walk w = walk_repeat(api, pc, lanes, mask, repeat);
    if (w.active == 0) {
        return;
    }
    const Operand a{"src0", src0, bytes * 8, strides.block[1], strides.repeat[1], Use::READ};
    const Operand b{"src1", src1, bytes * 8, strides.block[2], strides.repeat[2], Use::READ};
    require_stride(api, pc, a);
    Instr instr = vector_instr(facts, pc, type, w);
    add_access(instr, w, a);
    if (!scalar) {
        add_access(instr, w, b);
    }
    instr.access[instr.n_access++] =
        Access{dst.data, static_cast<uint64_t>(w.repeats) * lanes / 8, 1, 0, true, dst.size_bytes};
    issue(instr);
    uint8_t flag[128];
    const uint32_t step = 32 / bytes;
    // On this chip the mask of these forms is kept for others: every lane is compared (pages "Compare", "Compares").
    const bool counted = mask_state().counter;
    for (uint32_t r = 0; r < w.repeats; ++r) {
        std::memset(flag, 0, sizeof flag);
        const uint32_t n = counted ? (r + 1 == w.repeats ? w.last : w.each) : lanes;
        for (uint32_t lane = 0; lane < n; lane += step) {
            const uint32_t m = n - lane < step ? n - lane : step;
            compare_chunk(type, flag + lane, lane_address(a, r, lane),
                          scalar ? scalar->filled : lane_address(b, r, lane), m, mode);
        }
        pack(dst.data + static_cast<size_t>(r) * lanes / 8, flag, lanes);
    }
}

} // namespace

void compare_into(DType dst)
{
    warn("COMPARE_MASK", "Compare", __builtin_return_address(0),
         "Compare writes one bit for each element, least significant first; the destination is taken for numbers of "
         "%s.",
         dtype_name(dst));
}
void compare_count(DType type, View dst, View src0, View src1, uint8_t mode, int64_t count)
{
    count_form(apis::Compare, __builtin_return_address(0), type, dst, src0, src1, nullptr, mode, count);
}
void compare_repeat(DType type, View dst, View src0, View src1, uint8_t mode, MaskArg mask, uint32_t repeat,
                    const Strides &strides)
{
    repeat_form(apis::Compare, __builtin_return_address(0), type, dst, src0, src1, nullptr, mode, mask, repeat,
                strides);
}
void compare_scalar_count(DType type, View dst, View src, uint64_t scalar, uint8_t mode, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    const Scalar filled(scalar, dtype_bytes(type));
    count_form(apis::CompareScalar, pc, type, dst, src, View{}, &filled, mode, count);
}
void compare_scalar_repeat(DType type, View dst, View src, uint64_t scalar, uint8_t mode, MaskArg mask, uint32_t repeat,
                           const Strides &strides)
{
    const void *pc = __builtin_return_address(0);
    const Scalar filled(scalar, dtype_bytes(type));
    repeat_form(apis::CompareScalar, pc, type, dst, src, View{}, &filled, mode, mask, repeat, strides);
}

void compare_register(DType type, View src0, View src1, uint8_t mode, MaskArg mask, const Strides &strides)
{
    const void *pc = __builtin_return_address(0);
    const uint32_t bytes = dtype_bytes(type);
    require_operand(apis::Compare.name, pc, "src0", src0);
    require_operand(apis::Compare.name, pc, "src1", src1);
    const uint32_t lanes = 256 / bytes;
    const Walk w = walk_repeat(apis::Compare.name, pc, lanes, mask, 1);
    const Operand a{"src0", src0, bytes * 8, strides.block[1], strides.repeat[1], Use::READ};
    const Operand b{"src1", src1, bytes * 8, strides.block[2], strides.repeat[2], Use::READ};
    Instr instr = vector_instr(apis::Compare, pc, type, w);
    add_access(instr, w, a);
    add_access(instr, w, b);
    issue(instr);
    uint8_t flag[128] = {};
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (w.prefix ? lane < w.last : lane_on(w, lane)) {
            compare_chunk(type, flag + lane, lane_address(a, 0, lane), lane_address(b, 0, lane), 1, mode);
        }
    }
    pack(vector_state().compare_mask, flag, lanes);
}

void get_compare_mask(View dst)
{
    const void *pc = __builtin_return_address(0);
    require_operand("GetCmpMask", pc, "dst", dst, 16);
    Instr instr = vector_instr("GetCmpMask", "GetCmpMask", pc, DType::U8, Walk{});
    instr.n_access = 1;
    instr.access[0] = Access{dst.data, 16, 1, 0, true, dst.size_bytes};
    issue(instr);
    std::memcpy(dst.data, vector_state().compare_mask, 16);
}
void set_compare_mask(View src)
{
    const void *pc = __builtin_return_address(0);
    require_operand("SetCmpMask", pc, "src", src, 16);
    Instr instr = vector_instr("SetCmpMask", "SetCmpMask", pc, DType::U8, Walk{});
    instr.n_access = 1;
    instr.access[0] = Access{src.data, 16, 1, 0, false, src.size_bytes};
    issue(instr);
    std::memcpy(vector_state().compare_mask, src.data, 16);
}

} // namespace akgen::twin
