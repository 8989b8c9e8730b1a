// Mmad: 16 x 16 fractals of A times those of B into L0C. Products and sums are float, or int32 for int8 and int4.
#include "akgen/cube.h"
#include "convert.h"
#include "device/of_core.h"
#include "operand.h"
#include "sparse.h"
#include "sums.h"
#include <cstring>
#include <type_traits>
#include <vector>

namespace akgen::twin {

namespace {
// A row of a fractal, 32 bytes, as numbers of the sums' type.
template <typename Raw, typename T, typename Convert> struct Row {
    static constexpr uint32_t c0 = c0_bytes / sizeof(Raw);
    Convert convert;

    void operator()(const uint8_t *from, T *out) const
    {
        Raw values[c0];
        std::memcpy(values, from, sizeof values);
        for (uint32_t x = 0; x < c0; ++x) {
            out[x] = convert(values[x]);
        }
    }
};
template <typename Raw, typename T, typename Convert> Row<Raw, T, Convert> row_of(Convert convert) { return {convert}; }
struct NibbleRow {
    static constexpr uint32_t c0 = 64;

    void operator()(const uint8_t *from, int32_t *out) const
    {
        for (uint32_t x = 0; x < c0; ++x) {
            out[x] = nibble_at(from, x);
        }
    }
};

// Rows of A as `T`, k values each, from fractal order (or one plain row).
template <typename T, typename Read>
void unpack_left(const uint8_t *a, uint32_t m, uint32_t k, uint32_t fractals_per_row, bool plain, T *out,
                 const Read &read)
{
    constexpr uint32_t c0 = Read::c0;
    for (uint32_t i = 0; i < m; ++i) {
        for (uint32_t at = 0; at < k; at += c0) {
            const uint64_t fractal = uint64_t{i / 16} * fractals_per_row + at / c0;
            T values[c0];
            read(plain ? a + uint64_t{at / c0} * c0_bytes : a + fractal * fractal_bytes + i % 16 * c0_bytes, values);
            std::memcpy(out + uint64_t{i} * k + at, values, (k - at < c0 ? k - at : c0) * sizeof(T));
        }
    }
}

// One block of 16 columns of B: k rows of 16.
template <typename T, typename Read>
void unpack_right(const uint8_t *b, uint32_t block, uint32_t blocks, uint32_t k, T *out, const Read &read)
{
    constexpr uint32_t c0 = Read::c0;
    for (uint32_t at = 0; at < k; at += c0) {
        T values[lanes * c0];
        const uint8_t *fractal = b + (uint64_t{at / c0} * blocks + block) * fractal_bytes;
        for (uint32_t n = 0; n < lanes; ++n) {
            read(fractal + n * c0_bytes, values + n * c0);
        }
        const uint32_t count = k - at < c0 ? k - at : c0;
        for (uint32_t x = 0; x < count; ++x) {
            for (uint32_t n = 0; n < lanes; ++n) {
                out[uint64_t{at + x} * lanes + n] = values[n * c0 + x];
            }
        }
    }
}

template <typename T, typename Read>
void run(const View &c, const View &a, const View &b, const View &bias, const Multiply &p, bool plain,
         uint32_t left_fractals, const Read &read, const void *pc)
{
    static thread_local std::vector<T> left, right;
    left.resize(uint64_t{p.m} * p.k);
    right.resize(uint64_t{p.k} * lanes);
    unpack_left(a.data, p.m, p.k, left_fractals, plain, left.data(), read);
    const uint32_t column_blocks = blocks_of(p.n, lanes), row_blocks = blocks_of(p.m, fractal_rows);
    auto *out = reinterpret_cast<T *>(c.data);
    for (uint32_t block = 0; block < column_blocks; ++block) {
        if constexpr (std::is_same_v<T, int32_t>) {
            if (p.sparse) {
                unpack_sparse(b.data, block, column_blocks, p.k, right.data(), pc);
            }
        }
        if (!p.sparse) {
            unpack_right(b.data, block, column_blocks, p.k, right.data(), read);
        }
        T *column = out + uint64_t{block} * row_blocks * 256;
        if (p.with_bias) {
            for (uint32_t i = 0; i < p.m; ++i) {
                std::memcpy(column + uint64_t{i} * lanes, bias.data + uint64_t{block} * lanes * sizeof(T),
                            lanes * sizeof(T));
            }
        } else if (p.start_at_zero) {
            std::memset(column, 0, uint64_t{p.m} * lanes * sizeof(T));
        }
        add_product(left.data(), right.data(), p.m, p.k, column);
        if constexpr (std::is_same_v<T, float>) {
            saturate_sums(column, uint64_t{p.m} * lanes);
        }
    }
}

// What is added to must be there.
void warn_of_bare_sums(const View &c, const void *pc)
{
    const Region &l0c = region_of(Space::L0C);
    const auto at = static_cast<uint32_t>(c.data - l0c.begin);
    if (self->detector.unwritten(static_cast<int>(Space::L0C) - static_cast<int>(Space::UB), at, 32) >= 0) {
        warn("UNWRITTEN_DATA", "Mmad", pc,
             "Mmad: the product is added to byte %u of L0C, and nothing has written it: cmatrixInitVal is false.", at);
    }
}

// The block of the last product, and its instruction: the next one of a small block begins before it has ended.
struct Last {
    const uint8_t *sums = nullptr;
    uint32_t number = 0;
};
thread_local OfCore<Last> last;

void warn_of_sums_under_way(const View &c, const Multiply &p, const void *pc)
{
    constexpr uint32_t large = 10; // blocks of 16 x 16 from which on one product ends before the next one adds to it
    if (last->sums == c.data && (p.m / 16) * (p.n / 16) < large && !self->detector.ended(Pipe::M, last->number)) {
        warn("MMAD_BARRIER", "Mmad", pc,
             "Mmad adds to sums of %u x %u that the Mmad before it may still make: blocks of fewer than %u fractals "
             "need PipeBarrier<PIPE_M>() in between.",
             p.m, p.n, large);
    }
}

} // namespace

Hf32 &hf32()
{
    static thread_local OfCore<Hf32> mode;
    return *mode;
}
void multiply_in_hf32(bool on) { hf32().on = on; }
void round_hf32_away(bool away) { hf32().away = away; }

void multiply(View c, View a, View b, View bias, const Multiply &given, DType c_type, DType a_type, DType)
{
    Multiply p = given;
    const char *api = p.sparse ? "MmadWithSparse" : "Mmad";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (p.from_table) {
        const Region &table = region_of(Space::BT);
        bias = {table.begin, table.size_bytes};
        p.with_bias = true;
    }
    if (p.m == 0 || p.n == 0 || p.k == 0) {
        return;
    }
    require_limit(api, pc, "m", p.m, 4095);
    require_limit(api, pc, "n", p.n, 4095);
    require_limit(api, pc, "k", p.k, 4095);
    require_space(api, pc, "dst", c, Space::L0C);
    require_space(api, pc, "fm", a, Space::L0A);
    require_space(api, pc, "filter", b, Space::L0B);
    if (p.with_bias) {
        require_either(api, pc, "bias", bias, Space::BT, Space::L0C);
    }
    if (p.unit_flag == 1 || p.unit_flag > 3) {
        trap("CUBE_RANGE", api, pc, "%s: unitFlag is %u; it is 0, 2 or 3.", api, p.unit_flag);
    }
    const uint32_t c0 = lanes_of(a_type);
    const uint32_t row_blocks = blocks_of(p.m, fractal_rows), column_blocks = blocks_of(p.n, lanes),
                   depth = blocks_of(p.k, c0), right_k = p.sparse ? blocks_of(p.k, 2) : p.k;
    const uint32_t left_fractals = p.align_k && a_type == DType::F32 ? blocks_of(p.k, 16) * 2 : depth;
    const bool plain = p.m == 1 && !p.no_vector && !p.sparse; // a vector times a matrix: A is one row, not fractals
    if (p.unit_flag) {
        unit_order(Pipe::M, Pipe::FIX, pc);
    }
    Instr in = cube_instr(api, "Mmad", pc, Pipe::M, a_type);
    in.elements = uint64_t{row_blocks} * column_blocks * blocks_of(right_k, step_along_k(a_type, hf32().on));
    const uint64_t c_bytes = uint64_t{row_blocks} * column_blocks * 1024;
    in.access[0] = one_run(c.data, c_bytes, true, c.size_bytes);
    in.access[1] =
        one_run(a.data, plain ? uint64_t{depth} * c0_bytes : uint64_t{row_blocks} * left_fractals * fractal_bytes,
                false, a.size_bytes);
    in.access[2] =
        one_run(b.data, uint64_t{column_blocks} * blocks_of(right_k, c0) * fractal_bytes, false, b.size_bytes);
    in.n_access = 3;
    if (p.with_bias) {
        in.access[in.n_access++] = one_run(bias.data, uint64_t{column_blocks} * lanes * 4, false, bias.size_bytes);
    }
    if (!p.with_bias && !p.start_at_zero) {
        warn_of_bare_sums(c, pc);
        warn_of_sums_under_way(c, p, pc);
    }
    issue(in);
    *last = {c.data, self->detector.number()};
    if (a_type == DType::I4) {
        run<int32_t>(c, a, b, bias, p, plain, left_fractals, NibbleRow{}, pc);
    } else if (c_type == DType::I32) {
        run<int32_t>(c, a, b, bias, p, plain, left_fractals,
                     row_of<int8_t, int32_t>([](int8_t v) { return int32_t{v}; }), pc);
    } else if (a_type == DType::F16) {
        run<float>(c, a, b, bias, p, plain, left_fractals,
                   row_of<_Float16, float>([](_Float16 v) { return static_cast<float>(v); }), pc);
    } else if (a_type == DType::BF16) {
        run<float>(c, a, b, bias, p, plain, left_fractals, row_of<uint16_t, float>(brain_to_float), pc);
    } else if (hf32().on) {
        const bool away = hf32().away;
        run<float>(c, a, b, bias, p, plain, left_fractals,
                   row_of<float, float>([away](float v) { return to_hf32(v, away); }), pc);
    } else {
        run<float>(c, a, b, bias, p, plain, left_fractals, row_of<float, float>([](float v) { return v; }), pc);
    }
}

} // namespace akgen::twin
