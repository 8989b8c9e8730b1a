// The numbers of a product: operands as dense rows, sums in the order of k, results as C's type, stored run by run.
#include "convert.h"
#include "matmul_parts.h"
#include "operand.h"
#include "sums.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

uint8_t quant_of(const Product &p)
{
    const bool whole = adds_int32(p);
    const bool columns = p.scales.data != nullptr;
    switch (p.c.type) {
    case DType::F16: return whole ? columns ? int_to_half_by_column : int_to_half : float_to_half;
    case DType::BF16: return float_to_brain_16;
    case DType::I8:
    case DType::U8:
        return whole ? columns ? int_to_8_by_column : int_to_8 : columns ? float_to_8_by_column : float_to_8;
    default: return no_quant;
    }
}

namespace {
template <typename T> T value_at(const uint8_t *from, DType type)
{
    switch (type) {
    case DType::F16: {
        _Float16 v;
        std::memcpy(&v, from, 2);
        return static_cast<T>(static_cast<float>(v));
    }
    case DType::BF16: {
        uint16_t v;
        std::memcpy(&v, from, 2);
        return static_cast<T>(brain_to_float(v));
    }
    case DType::I8: return static_cast<T>(*reinterpret_cast<const int8_t *>(from));
    case DType::I32: {
        int32_t v;
        std::memcpy(&v, from, 4);
        return static_cast<T>(v);
    }
    default: {
        float v;
        std::memcpy(&v, from, 4);
        return static_cast<T>(v);
    }
    }
}

template <typename T, typename Raw, typename Convert>
void rows_plain(const Stored &s, uint32_t rows, uint32_t columns, T *out, Convert convert)
{
    for (uint32_t r = 0; r < rows; ++r) {
        const uint8_t *from = s.data + ((s.row + r) * s.stride + s.column) * sizeof(Raw);
        for (uint32_t c = 0; c < columns; ++c) {
            Raw value;
            std::memcpy(&value, from + c * sizeof(Raw), sizeof value);
            out[uint64_t{r} * columns + c] = static_cast<T>(convert(value));
        }
    }
}
// Dense rows of T.
template <typename T> void unpack(const Stored &s, uint32_t rows, uint32_t columns, T *out)
{
    if (!s.fractal && !s.transposed && s.type == DType::F16) {
        return rows_plain<T, _Float16>(s, rows, columns, out, [](_Float16 v) { return static_cast<float>(v); });
    }
    if (!s.fractal && !s.transposed && s.type == DType::BF16) {
        return rows_plain<T, uint16_t>(s, rows, columns, out, brain_to_float);
    }
    const uint32_t c0 = lanes_of(s.type), size = dtype_bytes(s.type);
    const bool nibbles = s.type == DType::I4;
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c) {
            const uint64_t at = s.transposed ? offset_of(s, c, r, c0) : offset_of(s, r, c, c0);
            out[uint64_t{r} * columns + c] =
                nibbles ? static_cast<T>(nibble_at(s.data, at)) : value_at<T>(s.data + at * size, s.type);
        }
    }
}

void round(float *values, size_t count, uint8_t mode)
{
    for (size_t i = 0; mode != 0 && i < count; ++i) {
        values[i] = to_hf32(values[i], mode == 2);
    }
}
void round(int32_t *, size_t, uint8_t) {}

// Results that stand side by side in C go out in one piece.
void put_run(const Product &p, const char *api, const void *pc, uint8_t *to, const uint8_t *from, uint64_t bytes,
             bool global)
{
    if (!global) {
        std::memcpy(to, from, bytes);
        return;
    }
    const Atomic op = self->atomic;
    const DType type = self->atomic_dtype;
    if (p.atomic) { // the owner's own setting is for its own copies
        self->atomic = p.atomic == 1 ? Atomic::add : p.atomic == 2 ? Atomic::max : Atomic::min;
        self->atomic_dtype = p.c.type;
    } else if (!self->cube) {
        self->atomic = Atomic::none;
    }
    store(api, pc, to, from, bytes);
    self->atomic = op;
    self->atomic_dtype = type;
}

template <typename T>
void compute(const Product &p, std::vector<uint8_t> &last, const char *api, const void *pc, uint32_t c0)
{
    static thread_local std::vector<T> left, right, block;
    left.resize(uint64_t{p.m} * p.k);
    right.assign(uint64_t{p.k} * lanes, 0);
    unpack(p.a, p.m, p.k, left.data());
    round(left.data(), left.size(), p.hf32);
    const uint64_t sums = uint64_t{(p.n + lanes - 1) / lanes} * p.m * lanes;
    const bool in_l0c = place_of(p.c.data).space == Space::L0C;
    const bool go_on = p.add_to_last && (in_l0c || last.size() == sums * sizeof(T));
    block.assign(sums, 0);
    if (go_on && in_l0c) {
        for (uint32_t n = 0; n < p.n; n += lanes) { // columns of fractals, which reach down to whole ones
            std::memcpy(block.data() + uint64_t{n} * p.m, p.c.data + offset_of(p.c, 0, n, lanes) * sizeof(T),
                        uint64_t{p.m} * lanes * sizeof(T));
        }
    } else if (go_on) {
        std::memcpy(block.data(), last.data(), last.size());
    }
    static thread_local std::vector<T> narrow;
    for (uint32_t n = 0; n < p.n; n += lanes) {
        const uint32_t count = std::min(lanes, p.n - n);
        Stored part = p.b;
        (part.transposed ? part.row : part.column) += n;
        narrow.resize(uint64_t{p.k} * count);
        unpack(part, p.k, count, narrow.data());
        round(narrow.data(), narrow.size(), p.hf32);
        for (uint32_t k = 0; k < p.k; ++k) {
            std::memcpy(right.data() + uint64_t{k} * lanes, narrow.data() + uint64_t{k} * count, count * sizeof(T));
        }
        T *column = block.data() + uint64_t{n} * p.m;
        if (p.bias_type != DType::NONE && !go_on) {
            for (uint32_t x = 0; x < count; ++x) {
                const T value = value_at<T>(p.bias.data + uint64_t{n + x} * dtype_bytes(p.bias_type), p.bias_type);
                for (uint32_t m = 0; m < p.m; ++m) {
                    column[uint64_t{m} * lanes + x] = value;
                }
            }
        }
        add_product(left.data(), right.data(), p.m, p.k, column);
    }
    last.assign(reinterpret_cast<const uint8_t *>(block.data()),
                reinterpret_cast<const uint8_t *>(block.data() + sums));
    if (p.kept) {
        return;
    }
    const bool global = place_of(p.c.data).region == nullptr;
    const uint8_t quant = quant_of(p);
    const uint32_t size = dtype_bytes(p.c.type);
    const Scale one = scale_of(p.scale);
    std::vector<uint8_t> row(uint64_t{p.n} * size);
    for (uint32_t m = 0; m < p.m; ++m) {
        for (uint32_t n = 0; n < p.n; ++n) {
            Scale scale = one;
            if (by_column(quant)) {
                uint64_t word;
                std::memcpy(&word, p.scales.data + uint64_t{n} * 8, 8);
                scale = scale_of(word);
            }
            const T &sum = block[uint64_t{n / lanes} * p.m * lanes + uint64_t{m} * lanes + n % lanes];
            convert_sum(row.data() + uint64_t{n} * size, reinterpret_cast<const uint8_t *>(&sum), quant, p.relu, scale,
                        p.c.type);
        }
        const uint32_t run = p.c.fractal ? c0 : p.n;
        for (uint32_t n = 0; n < p.n; n += run) {
            put_run(p, api, pc, p.c.data + offset_of(p.c, m, n, c0) * size, row.data() + uint64_t{n} * size,
                    uint64_t{std::min(run, p.n - n)} * size, global);
        }
    }
}
} // namespace

void compute_product(const Product &p, std::vector<uint8_t> &last, const char *api, const void *pc, uint32_t c0)
{
    adds_int32(p) ? compute<int32_t>(p, last, api, pc, c0) : compute<float>(p, last, api, pc, c0);
}

} // namespace akgen::twin
