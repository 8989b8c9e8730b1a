// Out of L0C: conversion, scaling, ReLU, and row-major or fractal order.
#include "akgen/cube.h"
#include "convert.h"
#include "device/of_core.h"
#include "operand.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace akgen::twin {

namespace {
struct Settings { // what SetFixpipe... left for DataCopy from L0C
    uint64_t scale = 0;
    View scales = {nullptr, 0};
    uint32_t matrices = 1, src_stride = 0, dst_stride = 0;
};
thread_local OfCore<Settings> settings;

void require_conversion(const char *api, const void *pc, uint8_t quant, DType to, DType from)
{
    if (!converts(quant, to, from)) {
        trap("DTYPE_SUPPORT", api, pc, "%s: quantPre %u does not make %s of %s.", api, quant, dtype_name(to),
             dtype_name(from));
    }
}

struct Target {
    uint8_t *data;
    uint32_t limit;
    bool global;
};

void run(const char *api, const void *pc, const Target &dst, const View &src, const View &scales, const Fix &p,
         DType dst_type, DType src_type)
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
        const uint32_t left = src.size_bytes > src_offset ? static_cast<uint32_t>(src.size_bytes - src_offset)
                              : src.size_bytes            ? 1
                                                          : 0;
        Instr in = cube_instr(api, api, pc, Pipe::FIX, dst_type);
        in.access[0] = rows_of(from, uint64_t{p.m} * 64, columns, int64_t{p.src_stride} * 64, false, left);
        in.access[1] = p.row_major
                           ? rows_of(to, uint64_t{p.n} * size, p.m, static_cast<int64_t>(dst_row), true, dst.limit)
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
                convert_sum(row.data() + uint64_t{n} * size,
                            from + ((uint64_t{n / 16} * p.src_stride + m) * 16 + n % 16) * 4, p.quant, p.relu, scale,
                            dst_type);
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

void fix_scale(uint64_t scale) { settings->scale = scale; }
void fix_scales(View scales) { settings->scales = scales; }
void fix_matrices(uint32_t matrices, uint32_t src_stride, uint32_t dst_stride)
{
    settings->matrices = matrices;
    settings->src_stride = src_stride;
    settings->dst_stride = dst_stride;
}

// The settings take the place of what the older parameters lack. A table of scales lies beside L0C.
static Fix with_settings(const void *pc, Fix p)
{
    p.scale = settings->scale;
    p.matrices = settings->matrices;
    p.src_matrix_stride = settings->src_stride;
    p.dst_matrix_stride = settings->dst_stride;
    if (by_column(p.quant)) {
        require_space("DataCopy", pc, "quantPre (SetFixPipeConfig)", settings->scales, Space::FB);
    }
    return p;
}

void fix_legacy(uint8_t *dst, View src, Fix p, DType dst_type, DType src_type)
{
    const void *pc = __builtin_return_address(0);
    run("DataCopy", pc, {dst, 0, true}, src, settings->scales, with_settings(pc, p), dst_type, src_type);
}

void fix_legacy_to_l1(View dst, View src, Fix p, DType dst_type, DType src_type)
{
    const void *pc = __builtin_return_address(0);
    require_space("DataCopy", pc, "dst", dst, Space::L1);
    run("DataCopy", pc, {dst.data, dst.size_bytes, false}, src, settings->scales, with_settings(pc, p), dst_type,
        src_type);
}

} // namespace akgen::twin
