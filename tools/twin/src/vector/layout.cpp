// DropOut, Pad and UnPad, ConfusionTranspose: data movement within the Unified Buffer.
#include "composite.h"
#include "device/guest.h"
#include "reduce.h"
#include <cstring>

#include "akgen/vector.h"

namespace akgen::twin {
namespace {

constexpr uint32_t fractal_edge = 16;

struct Axes {
    uint64_t b, n, s, d;
};
// Where element (b, n, s, d) lies.
using Place = uint64_t (*)(const Axes &all, const Axes &at);

// One matrix of rows x columns as fractals of 16 x 16: columns of fractals, rows inside.
uint64_t fractal(uint64_t rows, uint64_t row, uint64_t column)
{
    return (column / fractal_edge) * rows * fractal_edge + row * fractal_edge + column % fractal_edge;
}
uint64_t by_head(const Axes &all, const Axes &at) // [B, N] matrices of S x D
{
    return (at.b * all.n + at.n) * all.s * all.d + fractal(all.s, at.s, at.d);
}
uint64_t by_head_plain(const Axes &all, const Axes &at)
{
    return ((at.b * all.n + at.n) * all.s + at.s) * all.d + at.d;
}
uint64_t by_row(const Axes &all, const Axes &at) // [B, S] matrices of N x D
{
    return (at.b * all.s + at.s) * all.n * all.d + fractal(all.n, at.n, at.d);
}
uint64_t merged(const Axes &all, const Axes &at) // [B] matrices of S x (N D)
{
    return at.b * all.s * all.n * all.d + fractal(all.s, at.s, at.n * all.d + at.d);
}
uint64_t merged_plain(const Axes &all, const Axes &at) { return ((at.b * all.s + at.s) * all.n + at.n) * all.d + at.d; }
uint64_t upright(const Axes &all, const Axes &at) { return at.s * all.d + at.d; }
uint64_t lying(const Axes &all, const Axes &at) { return at.d * all.s + at.s; }

struct Order {
    Place from, to;
};
// By AscendC::TransposeType, from 1.
constexpr Order orders_by_kind[] = {
    {by_head, merged_plain}, {by_head, by_row}, {merged, by_head}, {merged, by_head_plain},
    {by_head, merged_plain}, {by_head, merged}, {upright, lying},
};

} // namespace

void drop_out(DType type, View dst, View src, View mask, View work, float keep, uint32_t rows, uint32_t columns,
              uint32_t mask_columns, bool bits)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::DropOut.name;
    const uint32_t bytes = dtype_bytes(type);
    const uint64_t n = static_cast<uint64_t>(rows) * columns;
    const uint32_t needed = bits ? (columns + 7) / 8 : columns;
    if (mask_columns < needed || (rows > 1 && bits && columns % 8 != 0)) {
        trap("SELECT_MODE", api, pc, "DropOut: rows of %u elements have %u bytes of mask each; %u are needed.", columns,
             mask_columns, needed);
    }
    if (!(keep > 0.0f && keep < 1.0f)) {
        warn("SELECT_MODE", api, pc, "DropOut: keepProb is %g; it must lie between 0 and 1.",
             static_cast<double>(keep));
    }
    if (n == 0) {
        return;
    }
    Composite call(bits ? apis::DropOutByBits : apis::DropOut, pc, type, n);
    call.span("srcLocal", src, n * bytes, false);
    call.matrix("maskLocal", mask, needed, rows, mask_columns, false);
    call.span("dstLocal", dst, n * bytes, true);
    call.temporary(work, 32);
    call.record();
    const float scale = 1.0f / keep;
    for (uint32_t r = 0; r < rows; ++r) {
        const uint8_t *row = mask.data + static_cast<uint64_t>(r) * mask_columns;
        for (uint32_t i = 0; i < columns; ++i) {
            const bool kept = bits ? ((row[i / 8] >> (i % 8)) & 1) != 0 : row[i] != 0;
            const uint64_t at = static_cast<uint64_t>(r) * columns + i;
            store_real(type, dst.data, at, kept ? load_real(type, src.data, at) * scale : 0.0f);
        }
    }
}

void pad_rows(DType type, View dst, View src, View work, uint32_t rows, uint32_t columns, uint32_t valid, uint32_t left,
              uint32_t right, int32_t value)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::Pad.name;
    const uint32_t bytes = dtype_bytes(type);
    const bool whole = columns * bytes % 32 == 0; // then the padding lies within the row already
    const uint32_t width = whole ? columns : columns + left + right;
    if (width * bytes % 32 != 0 || left + right > 32 / bytes || valid > columns || (!whole && left != 0)) {
        trap("BROADCAST_SHAPE", api, pc,
             "Pad: rows of %u elements (%u valid), %u more on the left and %u on the right, do not fill blocks of 32 "
             "bytes.",
             columns, valid, left, right);
    }
    const uint64_t from = static_cast<uint64_t>(rows) * columns * bytes;
    Composite call(apis::Pad, pc, type, static_cast<uint64_t>(rows) * width);
    call.span("srcTensor", src, from, false);
    call.span("dstTensor", dst, static_cast<uint64_t>(rows) * width * bytes, true);
    call.temporary(work, 32);
    call.record();
    std::vector<uint8_t> held(src.data, src.data + from);
    std::vector<uint8_t> filler(static_cast<size_t>(width) * bytes);
    for (uint32_t i = 0; i < width; ++i) {
        if (type == DType::F32 || type == DType::F16) {
            store_real(type, filler.data(), i, static_cast<float>(value));
        } else {
            std::memcpy(filler.data() + static_cast<size_t>(i) * bytes, &value, bytes);
        }
    }
    const uint32_t kept = whole ? valid : columns;
    for (uint32_t r = 0; r < rows; ++r) {
        uint8_t *to = dst.data + static_cast<uint64_t>(r) * width * bytes;
        std::memcpy(to, filler.data(), filler.size());
        std::memcpy(to, held.data() + static_cast<uint64_t>(r) * columns * bytes, static_cast<size_t>(kept) * bytes);
    }
}

void unpad_rows(DType type, View dst, View src, View work, uint32_t rows, uint32_t columns, uint32_t right)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::UnPad.name;
    const uint32_t bytes = dtype_bytes(type);
    if (columns * bytes % 32 != 0 || right == 0 || right * bytes >= 32 || right >= columns) {
        trap("BROADCAST_SHAPE", api, pc,
             "UnPad: %u of %u elements are cut off; rows must fill blocks of 32 bytes, and less than one block can go.",
             right, columns);
    }
    const uint64_t kept = static_cast<uint64_t>(columns - right) * bytes;
    Composite call(apis::UnPad, pc, type, static_cast<uint64_t>(rows) * columns);
    call.span("srcTensor", src, static_cast<uint64_t>(rows) * columns * bytes, false);
    call.span("dstTensor", dst, rows * kept, true);
    call.temporary(work, 32);
    call.record();
    for (uint32_t r = 0; r < rows; ++r) {
        std::memmove(dst.data + r * kept, src.data + static_cast<uint64_t>(r) * columns * bytes, kept);
    }
}

void confusion_transpose(DType type, View dst, View src, View work, uint8_t kind, const uint32_t *axes)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::ConfusionTranspose.name;
    const uint32_t bytes = dtype_bytes(type);
    const bool flat = kind == 7;
    require_guest(api, pc, axes, (flat ? 2 : 4) * sizeof *axes, false);
    const Axes all = flat ? Axes{1, 1, axes[0], axes[1]} : Axes{axes[0], axes[1], axes[2], axes[3]};
    if (kind == 0 || kind > 7) {
        trap("TRANSPOSE_PARAMS", api, pc, "ConfusionTranspose: transposeType %u does not exist.", kind);
    }
    const bool fits =
        all.s % fractal_edge == 0 && all.d % fractal_edge == 0 && (kind != 2 || all.n % fractal_edge == 0);
    const uint64_t n = all.b * all.n * all.s * all.d;
    if (!fits || n == 0) {
        trap("TRANSPOSE_PARAMS", api, pc,
             "ConfusionTranspose: axes of %llu x %llu x %llu x %llu elements; those in fractals must be multiples of "
             "16.",
             static_cast<unsigned long long>(all.b), static_cast<unsigned long long>(all.n),
             static_cast<unsigned long long>(all.s), static_cast<unsigned long long>(all.d));
    }
    Composite call(apis::ConfusionTranspose, pc, type, n);
    call.span("srcTensor", src, n * bytes, false);
    call.span("dstTensor", dst, n * bytes, true);
    call.temporary(work, 32);
    call.record();
    const std::vector<uint8_t> held(src.data, src.data + n * bytes);
    const Order order = orders_by_kind[kind - 1];
    Axes at{};
    for (at.b = 0; at.b < all.b; ++at.b) {
        for (at.n = 0; at.n < all.n; ++at.n) {
            for (at.s = 0; at.s < all.s; ++at.s) {
                for (at.d = 0; at.d < all.d; ++at.d) {
                    std::memcpy(dst.data + order.to(all, at) * bytes, held.data() + order.from(all, at) * bytes, bytes);
                }
            }
        }
    }
}

void transpose_shape(DType type, View dst, View src, View work, uint32_t n, uint32_t c, uint32_t h, uint32_t w,
                     uint8_t kind)
{
    constexpr uint8_t square_kind = 10, channels_last = 11, channels_first = 12;
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::TransposeShape.name;
    if (kind == square_kind) {
        n = 1;
        h = w = fractal_edge; // whatever the shape says
    }
    const uint64_t rows = kind == square_kind ? h : kind == channels_last ? c : static_cast<uint64_t>(h) * w;
    const uint64_t columns = kind == square_kind ? w : kind == channels_last ? static_cast<uint64_t>(h) * w : c;
    const uint32_t bytes = dtype_bytes(type);
    if (kind < square_kind || kind > channels_first || (kind == square_kind && bytes != 2)) {
        trap("TRANSPOSE_PARAMS", api, pc, "Transpose: transposeType %u with elements of %u bytes is not supported.",
             kind, bytes);
    }
    const uint64_t total = n * rows * columns;
    if (total == 0) {
        return;
    }
    Composite call(apis::TransposeShape, pc, type, total);
    call.span("src", src, total * bytes, false);
    call.span("dst", dst, total * bytes, true);
    call.temporary(work, 32);
    call.record();
    const std::vector<uint8_t> held(src.data, src.data + total * bytes);
    for (uint64_t i = 0; i < n; ++i) {
        for (uint64_t r = 0; r < rows; ++r) {
            for (uint64_t k = 0; k < columns; ++k) {
                const uint64_t base = i * rows * columns;
                std::memcpy(dst.data + (base + k * rows + r) * bytes, held.data() + (base + r * columns + k) * bytes,
                            bytes);
            }
        }
    }
}

} // namespace akgen::twin
