// Into L1 in fractal order, and from L1 into L0A and L0B.
#include "akgen/cube.h"
#include "operand.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace akgen::twin {

// -- row-major to fractal order ---------------------------------------------------------------------------------------

static void one_matrix(const void *pc, View dst, const uint8_t *src, const NdToNz &p, DType dtype)
{
    const char *api = "DataCopy";
    const uint32_t size = dtype_bytes(dtype);
    const uint32_t per_block = c0_bytes / size;
    const uint32_t columns = blocks_of(p.columns, per_block);
    const uint64_t row_bytes = uint64_t{p.columns} * size;
    const auto src_stride = static_cast<int64_t>(p.src_row_stride * size);
    Instr in = cube_instr(api, "DataCopy nd2nz", pc, Pipe::MTE2, dtype);
    in.n_access = 2;
    in.access[0] = rows_of(src, row_bytes, p.rows, src_stride, false, 0);
    // Rows that stand close together make runs of a whole C0 column; others are entered as far as they reach.
    const uint64_t reach = ((p.rows - 1) * p.dst_row_stride + 1) * c0_bytes;
    in.access[1] = rows_of(dst.data, reach, columns, static_cast<int64_t>(p.dst_column_stride * c0_bytes), true, dst.size_bytes);
    issue(in);
    static thread_local std::vector<uint8_t> row;
    row.assign(uint64_t{columns} * c0_bytes, 0); // the last block of a row is filled with zeros
    for (uint32_t r = 0; r < p.rows; ++r) {
        fetch(row.data(), src + r * src_stride, row_bytes);
        uint8_t *to = dst.data + r * p.dst_row_stride * c0_bytes;
        for (uint32_t c = 0; c < columns; ++c) {
            std::memcpy(to + c * p.dst_column_stride * c0_bytes, row.data() + c * c0_bytes, c0_bytes);
        }
    }
}

void nd_to_nz(View dst, const uint8_t *src, const NdToNz &p, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    const char *api = "DataCopy";
    self->last_pc = pc;
    if (p.matrices == 0 || p.rows == 0 || p.columns == 0) {
        return;
    }
    require_space(api, pc, "dst", dst, Space::L1);
    require_limit(api, pc, "nValue", p.rows, 16384);
    require_limit(api, pc, "dstNzC0Stride", p.dst_column_stride, 16384);
    require_limit(api, pc, "dstNzNStride", p.dst_row_stride, 16384);
    const uint32_t size = dtype_bytes(dtype);
    for (uint32_t i = 0; i < p.matrices; ++i) {
        View to = dst;
        const uint64_t offset = i * p.dst_matrix_stride * size;
        to.data += offset;
        to.size_bytes = dst.size_bytes > offset ? static_cast<uint32_t>(dst.size_bytes - offset) : dst.size_bytes ? 1 : 0;
        one_matrix(pc, to, src + i * p.src_matrix_stride * size, p, dtype);
    }
}

// -- whole fractals -------------------------------------------------------------------------------------------------------

static void transpose_halves(uint8_t *to, const uint8_t *from)
{
    uint16_t in[256], out[256];
    std::memcpy(in, from, sizeof in);
    for (int r = 0; r < 16; ++r) {
        for (int c = 0; c < 16; ++c) {
            out[c * 16 + r] = in[r * 16 + c];
        }
    }
    std::memcpy(to, out, sizeof out);
}

static const char *op_into(Space space)
{
    return space == Space::L0B ? "LoadData L0B" : space == Space::L0A ? "LoadData L0A" : "LoadData L1";
}

static void fractals(const void *pc, View dst, Space to, const uint8_t *src, uint32_t src_limit, bool global, const Fractals &p, DType dtype)
{
    const char *api = "LoadData";
    if (p.transpose && dtype_bytes(dtype) != 2) {
        trap("DTYPE_SUPPORT", api, pc, "%s: ifTranspose takes 16-bit types, not %s; use LoadDataWithTranspose.", api, dtype_name(dtype));
    }
    const uint8_t *from = src + uint64_t{p.start} * fractal_bytes;
    const int64_t src_stride = (p.downwards ? -1 : 1) * static_cast<int64_t>(p.src_stride) * fractal_bytes;
    const int64_t dst_stride = (int64_t{p.dst_gap} + 1) * fractal_bytes;
    const uint64_t skipped = uint64_t{p.start} * fractal_bytes;
    const uint32_t left = src_limit > skipped ? static_cast<uint32_t>(src_limit - skipped) : src_limit ? 1 : 0;
    Instr in = cube_instr(api, op_into(to), pc, global ? Pipe::MTE2 : Pipe::MTE1, dtype);
    in.n_access = 2;
    in.access[0] = rows_of(dst.data, fractal_bytes, p.repeats, dst_stride, true, dst.size_bytes);
    in.access[1] = rows_of(from, fractal_bytes, p.repeats, src_stride, false, p.downwards ? 0 : left);
    issue(in);
    uint8_t block[fractal_bytes];
    for (uint32_t r = 0; r < p.repeats; ++r) {
        const uint8_t *source = from + r * src_stride;
        if (global) {
            fetch(block, source, fractal_bytes);
            source = block;
        }
        if (p.transpose) {
            transpose_halves(dst.data + r * dst_stride, source);
        } else {
            std::memcpy(dst.data + r * dst_stride, source, fractal_bytes);
        }
    }
}

void load_fractals(View dst, View src, const Fractals &p, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (p.repeats == 0) {
        return;
    }
    const Space to = require_either("LoadData", pc, "dst", dst, Space::L0A, Space::L0B);
    require_space("LoadData", pc, "src", src, Space::L1);
    fractals(pc, dst, to, src.data, src.size_bytes, false, p, dtype);
}

void load_fractals_global(View dst, const uint8_t *src, const Fractals &p, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (p.repeats == 0) {
        return;
    }
    const Place place = place_of(dst.data);
    const Space to = place.space == Space::L1 ? (require_space("LoadData", pc, "dst", dst, Space::L1), Space::L1)
                                              : require_either("LoadData", pc, "dst", dst, Space::L0A, Space::L0B);
    fractals(pc, dst, to, src, 0, true, p, dtype);
}

// -- squares that are transposed ---------------------------------------------------------------------------------------------

namespace {
// Byte offset of element (row, column) in the fractals that make a square: one below the other for 8 bits, beside for 32.
uint32_t in_square(uint32_t row, uint32_t column, uint32_t size)
{
    const uint32_t fractal = size == 1 ? row / 16 : size == 4 ? column / 8 : 0;
    return fractal * fractal_bytes + row % 16 * c0_bytes + (size == 4 ? column % 8 : column) * size;
}
} // namespace

void load_squares(View dst, View src, const Squares &p, DType dtype)
{
    const char *api = "LoadDataWithTranspose";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (p.repeats == 0) {
        return;
    }
    const Space to = require_either(api, pc, "dst", dst, Space::L0A, Space::L0B);
    require_space(api, pc, "src", src, Space::L1);
    const uint32_t size = dtype_bytes(dtype);
    const uint32_t parts = size == 2 ? 1 : 2;
    const uint32_t side = size == 1 ? 32 : 16;
    const uint64_t square_bytes = uint64_t{parts} * fractal_bytes;
    const uint8_t *from = src.data + p.start * square_bytes;
    const int64_t src_stride = (p.downwards ? -1 : 1) * static_cast<int64_t>(p.src_stride * square_bytes);
    const int64_t dst_stride = (int64_t{p.dst_gap} + 1) * fractal_bytes;
    const int64_t apart = (int64_t{p.between} + 1) * fractal_bytes;
    Instr in = cube_instr(api, op_into(to), pc, Pipe::MTE1, dtype);
    in.n_access = static_cast<uint8_t>(1 + parts);
    in.access[0] = rows_of(from, square_bytes, p.repeats, src_stride, false, 0);
    for (uint32_t part = 0; part < parts; ++part) {
        const auto offset = static_cast<uint64_t>(part * apart);
        const uint32_t left = dst.size_bytes > offset ? static_cast<uint32_t>(dst.size_bytes - offset) : dst.size_bytes ? 1 : 0;
        in.access[1 + part] = rows_of(dst.data + offset, fractal_bytes, p.repeats, dst_stride, true, left);
    }
    issue(in);
    uint8_t square[2 * fractal_bytes];
    for (uint32_t r = 0; r < p.repeats; ++r) {
        const uint8_t *source = from + r * src_stride;
        for (uint32_t row = 0; row < side; ++row) {
            for (uint32_t column = 0; column < side; ++column) {
                std::memcpy(square + in_square(column, row, size), source + in_square(row, column, size), size);
            }
        }
        for (uint32_t part = 0; part < parts; ++part) {
            std::memcpy(dst.data + r * dst_stride + part * apart, square + part * fractal_bytes, fractal_bytes);
        }
    }
}

// -- images --------------------------------------------------------------------------------------------------------------------

namespace {
struct ImageRegisters {
    bool shaped = false, padded = false;
    uint32_t height = 0, width = 0, repeats = 1, boundary = 0;
    uint8_t pads[4] = {};
    uint64_t padding = 0;
};
ImageRegisters &image_registers()
{
    static thread_local ImageRegisters registers; // one core is one thread
    return registers;
}
} // namespace

void image_shape(uint32_t height, uint32_t width, const uint8_t *pads)
{
    ImageRegisters &kept = image_registers();
    kept.shaped = true;
    kept.height = height;
    kept.width = width;
    std::memcpy(kept.pads, pads, sizeof kept.pads);
}
void image_padding(uint64_t value)
{
    image_registers().padded = true;
    image_registers().padding = value;
}
void image_repeat(uint32_t times) { image_registers().repeats = times; }
void image_boundary(uint32_t value) { image_registers().boundary = value; }

void load_image(View dst, View src, const Image &given, bool own_shape, bool own_padding, DType dtype)
{
    const char *api = "LoadData";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const ImageRegisters &kept = image_registers();
    Image p = given;
    if (!own_shape) {
        if (!kept.shaped) {
            trap("CUBE_RANGE", api, pc, "LoadData: isSetFMatrix is false, and SetFmatrix was not called before.");
        }
        p.height = kept.height;
        p.width = kept.width;
        p.pad_left = kept.pads[0];
        p.pad_right = kept.pads[1];
        p.pad_top = kept.pads[2];
        p.pad_bottom = kept.pads[3];
    }
    if (!own_padding && kept.padded) {
        p.pad_value = kept.padding;
    }
    if (kept.repeats > 1 || kept.boundary != 0) {
        trap("CUBE_RANGE", api, pc, "LoadData: %u repeats and a boundary of %u are set; the twin takes one repeat and no boundary.",
             kept.repeats, kept.boundary);
    }
    if (p.k_extent == 0 || p.m_extent == 0) {
        return;
    }
    const Space to = require_either(api, pc, "dst", dst, Space::L0A, Space::L0B);
    require_space(api, pc, "src", src, Space::L1);
    const uint32_t size = dtype_bytes(dtype), c0 = c0_bytes / size;
    const uint32_t span_w = (p.filter_w - 1) * p.dilation_w + 1, span_h = (p.filter_h - 1) * p.dilation_h + 1;
    if (p.stride_w == 0 || p.stride_h == 0 || p.filter_w == 0 || p.filter_h == 0 || p.width + p.pad_left + p.pad_right < span_w ||
        p.height + p.pad_top + p.pad_bottom < span_h) {
        trap("CUBE_RANGE", api, pc, "%s: an image of %u x %u with a filter of %u x %u and strides %u x %u has no output.", api, p.height,
             p.width, p.filter_h, p.filter_w, p.stride_h, p.stride_w);
    }
    const uint32_t out_w = (p.width + p.pad_left + p.pad_right - span_w) / p.stride_w + 1;
    const bool right = to == Space::L0B;
    // Left operand: 16 x C0 fractals, row by row. Right operand: C0 x 16 fractals of the same matrix, columns inside first.
    const uint32_t rows = blocks_of(p.m_extent, right ? c0 : 16), columns = blocks_of(p.k_extent, right ? 16 : c0);
    const uint32_t planes = blocks_of(p.channels, c0);
    Instr in = cube_instr(api, right ? "LoadData3D L0B" : "LoadData3D L0A", pc, Pipe::MTE1, dtype);
    in.n_access = 2;
    in.access[0] = one_run(dst.data, uint64_t{rows} * columns * fractal_bytes, true, dst.size_bytes);
    in.access[1] = one_run(src.data, uint64_t{planes} * p.height * p.width * c0_bytes, false, src.size_bytes);
    issue(in);
    const auto element = [&](uint32_t m, uint32_t k) -> const uint8_t * {
        const uint32_t lane = k % c0, tap = k / c0;
        const uint32_t kw = tap % p.filter_w, kh = tap / p.filter_w % p.filter_h, plane = tap / p.filter_w / p.filter_h;
        const int64_t h = int64_t{m / out_w} * p.stride_h + int64_t{kh} * p.dilation_h - p.pad_top;
        const int64_t w = int64_t{m % out_w} * p.stride_w + int64_t{kw} * p.dilation_w - p.pad_left;
        if (h < 0 || w < 0 || h >= p.height || w >= p.width || plane >= planes) {
            return reinterpret_cast<const uint8_t *>(&p.pad_value);
        }
        return src.data + ((uint64_t{plane} * p.height + static_cast<uint64_t>(h)) * p.width + static_cast<uint64_t>(w)) * c0_bytes + lane * size;
    };
    const uint32_t high = rows * (right ? c0 : 16), wide = columns * (right ? 16 : c0);
    for (uint32_t m = 0; m < high; ++m) {
        for (uint32_t k = 0; k < wide; ++k) {
            const uint64_t fractal = right ? uint64_t{m / c0} * columns + k / 16 : uint64_t{m / 16} * columns + k / c0;
            const uint32_t inside = right ? k % 16 * c0 + m % c0 : m % 16 * c0 + k % c0;
            std::memcpy(dst.data + fractal * fractal_bytes + inside * size, element(p.m_start + m, p.k_start + k), size);
        }
    }
}

// -- one value -------------------------------------------------------------------------------------------------------------------

void fill_cube(View dst, uint32_t repeats, uint32_t blocks, uint32_t gap, uint64_t value, DType dtype)
{
    const char *api = "InitConstValue";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (repeats == 0 || blocks == 0) {
        return;
    }
    const bool l1 = place_of(dst.data).space == Space::L1;
    if (l1) {
        require_space(api, pc, "dst", dst, Space::L1);
    } else {
        require_either(api, pc, "dst", dst, Space::L0A, Space::L0B);
    }
    const uint32_t unit = l1 ? c0_bytes : fractal_bytes, size = dtype_bytes(dtype);
    const uint64_t run = uint64_t{blocks} * unit, stride = run + uint64_t{gap} * unit;
    Instr in = cube_instr(api, api, pc, l1 ? Pipe::MTE2 : Pipe::MTE1, dtype);
    in.n_access = 1;
    in.access[0] = rows_of(dst.data, run, repeats, static_cast<int64_t>(stride), true, dst.size_bytes);
    issue(in);
    for (uint32_t r = 0; r < repeats; ++r) {
        for (uint64_t at = 0; at < run; at += size) {
            std::memcpy(dst.data + r * stride + at, &value, size);
        }
    }
}

} // namespace akgen::twin
