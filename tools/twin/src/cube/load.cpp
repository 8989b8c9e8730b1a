// Into L1 in fractal order, and from L1 into L0A and L0B.
#include "akgen/cube.h"
#include "operand.h"
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
    in.access[1] =
        rows_of(dst.data, reach, columns, static_cast<int64_t>(p.dst_column_stride * c0_bytes), true, dst.size_bytes);
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
    if (place_of(dst.data).space == Space::L1) {
        open_tscm(api, pc); // a vector core may fill an operand of a Matmul object
    } else {
        require_space(api, pc, "dst", dst, Space::L1);
    }
    require_aligned(api, pc, "dst", dst, c0_bytes);
    require_limit(api, pc, "nValue", p.rows, 16384);
    require_limit(api, pc, "dstNzC0Stride", p.dst_column_stride, 16384);
    require_limit(api, pc, "dstNzNStride", p.dst_row_stride, 16384);
    const uint32_t size = dtype_bytes(dtype);
    for (uint32_t i = 0; i < p.matrices; ++i) {
        View to = dst;
        const uint64_t offset = i * p.dst_matrix_stride * size;
        to.data += offset;
        to.size_bytes = dst.size_bytes > offset ? static_cast<uint32_t>(dst.size_bytes - offset)
                        : dst.size_bytes        ? 1
                                                : 0;
        one_matrix(pc, to, src + i * p.src_matrix_stride * size, p, dtype);
    }
}

// -- whole fractals ---------------------------------------------------------------------------------------------------

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

static void fractals(const void *pc, View dst, Space to, const uint8_t *src, uint32_t src_limit, bool global,
                     const Fractals &p, DType dtype)
{
    const char *api = "LoadData";
    if (p.transpose && dtype_bytes(dtype) != 2) {
        trap("DTYPE_SUPPORT", api, pc, "%s: ifTranspose takes 16-bit types, not %s; use LoadDataWithTranspose.", api,
             dtype_name(dtype));
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

// -- squares that are transposed --------------------------------------------------------------------------------------

namespace {
// Number of element (row, column) in the fractals that make a square: one below the other, or, for
// 32 bits, beside each other.
uint32_t in_square(uint32_t row, uint32_t column, DType dtype)
{
    const uint32_t lanes = lanes_of(dtype);
    const uint32_t fractal = dtype_bytes(dtype) == 4 ? column / lanes : row / 16;
    return (fractal * 16 + row % 16) * lanes + column % lanes;
}

void transpose_square(uint8_t *to, const uint8_t *from, uint32_t side, DType dtype)
{
    const uint32_t size = dtype_bytes(dtype);
    for (uint32_t row = 0; row < side; ++row) {
        for (uint32_t column = 0; column < side; ++column) {
            const uint32_t target = in_square(column, row, dtype), source = in_square(row, column, dtype);
            if (dtype == DType::I4) {
                put_nibble(to, target, nibble_at(from, source));
            } else {
                std::memcpy(to + target * size, from + source * size, size);
            }
        }
    }
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
    const bool small = dtype == DType::I4;
    if (small && to == Space::L0A) {
        trap("DTYPE_SUPPORT", api, pc, "%s: %s is transposed on the way to L0B only, not to L0A.", api,
             dtype_name(dtype));
    }
    const uint32_t size = dtype_bytes(dtype);
    const uint32_t parts = small ? 4 : size == 2 ? 1 : 2;
    const uint32_t side = small ? 64 : size == 1 ? 32 : 16;
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
        const uint32_t left = dst.size_bytes > offset ? static_cast<uint32_t>(dst.size_bytes - offset)
                              : dst.size_bytes        ? 1
                                                      : 0;
        in.access[1 + part] = rows_of(dst.data + offset, fractal_bytes, p.repeats, dst_stride, true, left);
    }
    issue(in);
    uint8_t square[4 * fractal_bytes];
    for (uint32_t r = 0; r < p.repeats; ++r) {
        transpose_square(square, from + r * src_stride, side, dtype);
        for (uint32_t part = 0; part < parts; ++part) {
            std::memcpy(dst.data + r * dst_stride + part * apart, square + part * fractal_bytes, fractal_bytes);
        }
    }
}

// -- one value --------------------------------------------------------------------------------------------------------

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
