// DataCopy: checks, the instruction record, and the bytes. Padded rows, Copy and atomic stores have files of their own.
#include "akgen/copy.h"
#include "core.h"
#include "transfer.h"
#include "vector/half.h"
#include <cstring>
#include <vector>

namespace akgen::twin {

Instr transfer(const char *api, const void *pc, Pipe pipe, DType dtype, const Access &dst, const Access &src)
{
    Instr in = {};
    in.api = api;
    in.op = api;
    in.pc = pc;
    in.pipe = pipe;
    in.dtype = dtype;
    in.n_access = 2;
    in.access[0] = dst;
    in.access[1] = src;
    return in;
}

void require_local(const char *api, const void *pc, const char *operand, const View &v)
{
    const Place place = place_of(v.data);
    if (!v.data) {
        trap("TENSOR_RANGE", api, pc, "%s: tensor %s was never allocated.", api, operand);
    }
    if (!place.region) {
        trap("WRONG_MEMORY", api, pc, "%s: tensor %s lies in no on-chip memory of this core.", api, operand);
    }
    if (place.space == Space::L1) {
        open_tscm(api, pc);
    }
    require_aligned(api, pc, operand, v,
                    place.space == Space::L0A || place.space == Space::L0B  ? 512
                    : place.space == Space::L0C || place.space == Space::BT ? 64
                                                                            : block);
}

void require_rows(const char *api, const void *pc, uint32_t rows)
{
    constexpr uint32_t most = 4095; // the field has twelve bits
    if (rows > most) {
        trap("COPY_ROWS", api, pc, "%s: blockCount is %u; one copy moves at most %u blocks.", api, rows, most);
    }
}

namespace {
// Which pipe moves data between two memories of a core.
Pipe local_pipe(const char *api, const void *pc, Space from, Space to)
{
    if (from == Space::UB && to == Space::UB) {
        return Pipe::V;
    }
    if (from == Space::UB && to == Space::L1) {
        return Pipe::MTE3;
    }
    if (from == Space::L1 && to != Space::L1) {
        return to == Space::FB ? Pipe::FIX : Pipe::MTE1;
    }
    trap("WRONG_MEMORY", api, pc, "%s: no instruction copies from %s to %s.", api, space_name(from), space_name(to));
}

uint64_t bytes_of(uint64_t count, DType dtype)
{
    return dtype == DType::I4 ? (count + 1) / 2 : count * dtype_bytes(dtype);
}

// The device moves whole blocks; what a length has beyond its last whole block stays where it is. Source: DataCopy of the
// vendor's reference, on its parameter count.
Rows whole(const char *api, const void *pc, uint64_t count, DType dtype)
{
    const uint64_t bytes = bytes_of(count, dtype);
    if (bytes % block != 0) {
        warn("COPY_LENGTH", api, pc,
             "%s: %llu elements of %s are %llu bytes, which is not a multiple of 32; %llu move.", api,
             static_cast<unsigned long long>(count), dtype_name(dtype), static_cast<unsigned long long>(bytes),
             static_cast<unsigned long long>(bytes / block * block));
    }
    return {1, static_cast<uint32_t>(bytes / block * block), 0, 0};
}
} // namespace

// -- whole rows ------------------------------------------------------------------------------------------------------

static void rows_in(const char *api, const void *pc, const View &dst, const uint8_t *src, const Rows &r, DType dtype)
{
    self->last_pc = pc;
    if (r.rows == 0 || r.row_bytes == 0) {
        return;
    }
    require_rows(api, pc, r.rows);
    require_local(api, pc, "dst", dst);
    issue(transfer(api, pc, Pipe::MTE2, dtype,
                   rows_of(dst.data, r.row_bytes, r.rows, r.dst_stride, true, dst.size_bytes),
                   rows_of(src, r.row_bytes, r.rows, r.src_stride, false, 0)));
    for (uint32_t i = 0; i < r.rows; ++i) {
        fetch(dst.data + i * r.dst_stride, src + i * r.src_stride, r.row_bytes);
    }
}

void rows_out(const char *api, const void *pc, uint8_t *dst, const View &src, const Rows &r, DType dtype)
{
    self->last_pc = pc;
    if (r.rows == 0 || r.row_bytes == 0) {
        return;
    }
    require_rows(api, pc, r.rows);
    require_local(api, pc, "src", src);
    const Space from = place_of(src.data).space;
    issue(transfer(api, pc, from == Space::L0C ? Pipe::FIX : Pipe::MTE3, dtype,
                   rows_of(dst, r.row_bytes, r.rows, r.dst_stride, true, 0),
                   rows_of(src.data, r.row_bytes, r.rows, r.src_stride, false, src.size_bytes)));
    for (uint32_t i = 0; i < r.rows; ++i) {
        store(api, pc, dst + i * r.dst_stride, src.data + i * r.src_stride, r.row_bytes);
    }
}

void rows_local(const char *api, const void *pc, const View &dst, const View &src, const Rows &r, DType dtype,
                uint32_t filled)
{
    self->last_pc = pc;
    if (r.rows == 0 || r.row_bytes == 0) {
        return;
    }
    require_local(api, pc, "dst", dst);
    require_local(api, pc, "src", src);
    const Pipe pipe = local_pipe(api, pc, place_of(src.data).space, place_of(dst.data).space);
    const uint32_t written = std::max(filled, r.row_bytes);
    Instr in = transfer(api, pc, pipe, dtype, rows_of(dst.data, written, r.rows, r.dst_stride, true, dst.size_bytes),
                        rows_of(src.data, r.row_bytes, r.rows, r.src_stride, false, src.size_bytes));
    in.elements = uint64_t{r.rows} * r.row_bytes / dtype_bytes(dtype);
    in.repeats = static_cast<uint32_t>((uint64_t{r.rows} * r.row_bytes + 255) / 256);
    issue(in);
    for (uint32_t i = 0; i < r.rows; ++i) {
        std::memmove(dst.data + i * r.dst_stride, src.data + i * r.src_stride, r.row_bytes);
        std::memset(dst.data + i * r.dst_stride + r.row_bytes, 0, written - r.row_bytes);
    }
}

// The tables beside L0 are filled in units of 64 (bias) and 128 bytes (fixpipe). A bias of 16 bits becomes float.
static void rows_to_table(const void *pc, const View &dst, const View &src, Rows r, DType dtype, Space to)
{
    const int unit = to == Space::BT ? 2 : 4; // in the blocks of 32 bytes that the caller counted
    r = {r.rows, r.row_bytes * unit, r.dst_stride * unit, r.src_stride * unit};
    if (to == Space::FB || dtype_bytes(dtype) == 4) {
        return rows_local("DataCopy", pc, dst, src, r, dtype);
    }
    self->last_pc = pc;
    if (r.rows == 0 || r.row_bytes == 0) {
        return;
    }
    require_local("DataCopy", pc, "dst", dst);
    require_local("DataCopy", pc, "src", src);
    const int64_t gap = r.dst_stride - static_cast<int64_t>(r.row_bytes);
    const Rows wide = {r.rows, r.row_bytes * 2, r.row_bytes * 2 + gap, r.src_stride};
    static thread_local std::vector<float> values;
    values.clear();
    bool same = true; // a table that is filled again with what it holds races with nobody
    for (uint32_t i = 0; i < r.rows; ++i) {
        for (uint32_t at = 0; at < r.row_bytes; at += 2) {
            const uint8_t *from = src.data + i * r.src_stride + at;
            uint16_t bits;
            _Float16 half;
            std::memcpy(&bits, from, 2);
            std::memcpy(&half, from, 2);
            values.push_back(dtype == DType::BF16 ? widen_bfloat(bits) : static_cast<float>(half));
        }
        const float *row = values.data() + values.size() - r.row_bytes / 2;
        same = same && std::memcmp(dst.data + i * wide.dst_stride, row, wide.row_bytes) == 0;
    }
    const Access from = rows_of(src.data, r.row_bytes, r.rows, r.src_stride, false, src.size_bytes);
    const Access to_table = rows_of(dst.data, wide.row_bytes, r.rows, wide.dst_stride, !same, dst.size_bytes);
    issue(transfer("DataCopy", pc, Pipe::MTE1, dtype, to_table, from));
    for (uint32_t i = 0; i < r.rows; ++i) {
        std::memcpy(dst.data + i * wide.dst_stride, values.data() + uint64_t{i} * r.row_bytes / 2, wide.row_bytes);
    }
}

void copy_in(View dst, uint8_t, const uint8_t *src, uint64_t count, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    rows_in("DataCopy", pc, dst, src, whole("DataCopy", pc, count, dtype), dtype);
}

void copy_out(uint8_t *dst, View src, uint8_t, uint64_t count, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    rows_out("DataCopy", pc, dst, src, whole("DataCopy", pc, count, dtype), dtype);
}

void copy_local(View dst, uint8_t, View src, uint8_t, uint64_t count, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    rows_local("DataCopy", pc, dst, src, whole("DataCopy", pc, count, dtype), dtype);
}

void copy_in_rows(View dst, uint8_t, const uint8_t *src, const Rows &rows, DType dtype)
{
    rows_in("DataCopy", __builtin_return_address(0), dst, src, rows, dtype);
}

void copy_out_rows(uint8_t *dst, View src, uint8_t, const Rows &rows, DType dtype)
{
    rows_out("DataCopy", __builtin_return_address(0), dst, src, rows, dtype);
}

void copy_local_rows(View dst, uint8_t, View src, uint8_t, const Rows &rows, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    const Space to = place_of(dst.data).space;
    if (to == Space::BT || to == Space::FB) {
        rows_to_table(pc, dst, src, rows, dtype, to);
    } else {
        rows_local("DataCopy", pc, dst, src, rows, dtype);
    }
}

} // namespace akgen::twin
