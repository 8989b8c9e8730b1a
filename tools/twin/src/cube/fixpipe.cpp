// Out of L0C: conversion, scaling, ReLU, and row-major or fractal order.
#include "akgen/cube.h"
#include "operand.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace akgen::twin {

namespace {
// By the values of QuantMode_t.
enum Quant : uint8_t {
    no_quant = 0,
    float_to_half = 1,
    float_to_8_by_column = 2,
    float_to_8 = 3,
    int_to_half_by_column = 4,
    int_to_half = 5,
    int_to_8_by_column = 8,
    int_to_8 = 9,
    float_to_brain_16 = 16,
};
bool by_column(uint8_t quant) { return quant == float_to_8_by_column || quant == int_to_half_by_column || quant == int_to_8_by_column; }

struct Settings { // what SetFixpipe... left for DataCopy from L0C; each core has its own thread
    uint64_t scale = 0;
    View scales = {nullptr, 0};
    uint32_t matrices = 1, src_stride = 0, dst_stride = 0;
};
thread_local Settings settings;

struct Scale {
    float factor;
    int32_t offset;
    bool is_signed;
};
// A scale's word: a float of 19 bits in the low half, a 9-bit offset from bit 37 on, the result's sign in bit 46.
Scale scale_of(uint64_t word)
{
    const int32_t offset = static_cast<int32_t>(word >> 37 & 0x1ff);
    return {bits_to_float(static_cast<uint32_t>(word) & 0xffffe000u), offset >= 256 ? offset - 512 : offset, (word >> 46 & 1) != 0};
}

template <typename T> void put(uint8_t *to, T value) { std::memcpy(to, &value, sizeof value); }

void put_8(uint8_t *to, float value, const Scale &scale, DType type)
{
    const float rounded = std::nearbyint(value * scale.factor) + static_cast<float>(scale.offset);
    if (type == DType::U8) {
        put(to, static_cast<uint8_t>(std::min(255.0f, std::max(0.0f, rounded))));
    } else {
        put(to, static_cast<int8_t>(std::min(127.0f, std::max(-128.0f, rounded))));
    }
}

// One element of L0C into the destination's type.
void convert(uint8_t *to, const uint8_t *from, uint8_t quant, bool relu, const Scale &scale, DType type)
{
    if (quant == no_quant && type == DType::I32) {
        int32_t value;
        std::memcpy(&value, from, 4);
        return put(to, relu && value < 0 ? 0 : value);
    }
    float value;
    if (quant == int_to_half || quant == int_to_half_by_column || quant == int_to_8 || quant == int_to_8_by_column) {
        int32_t whole;
        std::memcpy(&whole, from, 4);
        value = static_cast<float>(whole);
    } else {
        std::memcpy(&value, from, 4);
    }
    value = relu && value < 0 ? 0.0f : value;
    switch (quant) {
    case no_quant:
        return put(to, value);
    case float_to_half:
        return put(to, static_cast<_Float16>(value));
    case float_to_brain_16:
        return put(to, float_to_brain(value));
    case int_to_half:
    case int_to_half_by_column:
        return put(to, static_cast<_Float16>(value * scale.factor));
    default:
        return put_8(to, value, scale, type);
    }
}

void require_conversion(const char *api, const void *pc, uint8_t quant, DType to, DType from)
{
    const bool byte = to == DType::I8 || to == DType::U8;
    const bool fits = quant == no_quant            ? to == from && (from == DType::F32 || from == DType::I32)
                      : quant == float_to_half     ? from == DType::F32 && to == DType::F16
                      : quant == float_to_brain_16 ? from == DType::F32 && to == DType::BF16
                      : quant == float_to_8 || quant == float_to_8_by_column ? from == DType::F32 && byte
                      : quant == int_to_half || quant == int_to_half_by_column ? from == DType::I32 && to == DType::F16
                      : quant == int_to_8 || quant == int_to_8_by_column       ? from == DType::I32 && byte
                                                                               : false;
    if (!fits) {
        trap("DTYPE_SUPPORT", api, pc, "%s: quantPre %u does not make %s of %s.", api, quant, dtype_name(to), dtype_name(from));
    }
}

struct Target {
    uint8_t *data;
    uint32_t limit;
    bool global;
};

void run(const char *api, const void *pc, const Target &dst, const View &src, const View &scales, const Fix &p, DType dst_type, DType src_type)
{
    self->last_pc = pc;
    if (p.n == 0 || p.m == 0) {
        return;
    }
    require_space(api, pc, "src", src, Space::L0C);
    require_conversion(api, pc, p.quant, dst_type, src_type);
    require_limit(api, pc, "nSize", p.n, 4095);
    require_limit(api, pc, "mSize", p.m, p.row_major ? 8192 : 65535);
    const uint32_t size = dtype_bytes(dst_type);
    if (!p.row_major && p.n % 16 != 0) {
        trap("CUBE_RANGE", api, pc, "%s: nSize is %u; in fractal order it is a multiple of 16.", api, p.n);
    }
    if (p.split_channels && dst_type != DType::F32) {
        trap("DTYPE_SUPPORT", api, pc, "%s: isChannelSplit is for float, not %s.", api, dtype_name(dst_type));
    }
    if (by_column(p.quant)) {
        require_either(api, pc, "cbufWorkspace", scales, Space::L1, Space::FB);
    }
    if (p.unit_flag) {
        unit_order(Pipe::FIX, Pipe::M, pc);
    }
    const uint32_t wide = p.row_major ? p.n : size == 1 ? 32 : p.split_channels ? 8 : 16; // elements that lie together
    const uint32_t columns = blocks_of(p.n, 16), runs = blocks_of(p.n, wide);
    const uint64_t dst_row = p.row_major ? p.dst_stride * size : uint64_t{wide} * size;
    const uint64_t dst_column = p.row_major ? 0 : p.dst_stride * c0_bytes;
    static thread_local std::vector<uint8_t> row;
    row.resize(uint64_t{columns} * 32 * 4);
    const uint32_t matrices = p.row_major && p.matrices > 1 ? p.matrices : 1;
    for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
        const uint64_t src_offset = uint64_t{matrix} * p.src_matrix_stride * 1024;
        const uint8_t *from = src.data + src_offset;
        uint8_t *to = dst.data + uint64_t{matrix} * p.dst_matrix_stride * size;
        const uint32_t left = src.size_bytes > src_offset ? static_cast<uint32_t>(src.size_bytes - src_offset) : src.size_bytes ? 1 : 0;
        Instr in = cube_instr(api, api, pc, Pipe::FIX, dst_type);
        in.access[0] = rows_of(from, uint64_t{p.m} * 64, columns, int64_t{p.src_stride} * 64, false, left);
        in.access[1] = p.row_major ? rows_of(to, uint64_t{p.n} * size, p.m, static_cast<int64_t>(dst_row), true, dst.limit)
                                   : rows_of(to, dst_row * p.m, runs, static_cast<int64_t>(dst_column), true, dst.limit);
        in.n_access = 2;
        if (by_column(p.quant)) {
            in.access[in.n_access++] = one_run(scales.data, uint64_t{p.n} * 8, false, scales.size_bytes);
        }
        issue(in);
        const Scale one = scale_of(p.scale);
        for (uint32_t m = 0; m < p.m; ++m) {
            for (uint32_t n = 0; n < p.n; ++n) {
                Scale scale = one;
                if (by_column(p.quant)) {
                    uint64_t word;
                    std::memcpy(&word, scales.data + uint64_t{n} * 8, 8);
                    scale = scale_of(word);
                }
                convert(row.data() + uint64_t{n} * size, from + ((uint64_t{n / 16} * p.src_stride + m) * 16 + n % 16) * 4, p.quant,
                        p.relu, scale, dst_type);
            }
            for (uint32_t r = 0; r < runs; ++r) {
                const uint32_t count = std::min(wide, p.n - r * wide);
                uint8_t *at = to + m * dst_row + r * dst_column;
                if (dst.global) {
                    store(api, pc, at, row.data() + uint64_t{r} * wide * size, uint64_t{count} * size);
                } else {
                    std::memcpy(at, row.data() + uint64_t{r} * wide * size, uint64_t{count} * size);
                }
            }
        }
    }
}
} // namespace

void fix_out(uint8_t *dst, View src, View scales, const Fix &p, DType dst_type, DType src_type)
{
    run("Fixpipe", __builtin_return_address(0), {dst, 0, true}, src, scales, p, dst_type, src_type);
}

void fix_to_l1(View dst, View src, View scales, const Fix &p, DType dst_type, DType src_type)
{
    const void *pc = __builtin_return_address(0);
    require_space("Fixpipe", pc, "dst", dst, Space::L1);
    run("Fixpipe", pc, {dst.data, dst.size_bytes, false}, src, scales, p, dst_type, src_type);
}

void fix_scale(uint64_t scale) { settings.scale = scale; }
void fix_scales(View scales) { settings.scales = scales; }
void fix_matrices(uint32_t matrices, uint32_t src_stride, uint32_t dst_stride)
{
    settings.matrices = matrices;
    settings.src_stride = src_stride;
    settings.dst_stride = dst_stride;
}

void fix_legacy(uint8_t *dst, View src, Fix p, DType dst_type, DType src_type)
{
    p.scale = settings.scale;
    p.matrices = settings.matrices;
    p.src_matrix_stride = settings.src_stride;
    p.dst_matrix_stride = settings.dst_stride;
    run("DataCopy", __builtin_return_address(0), {dst, 0, true}, src, settings.scales, p, dst_type, src_type);
}

} // namespace akgen::twin
