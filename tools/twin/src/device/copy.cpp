// DataCopy and its relatives: checks, the instruction record, and the bytes.
#include "akgen/copy.h"
#include "core.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace akgen::twin {

namespace {
constexpr uint32_t block = 32;

Access one_run(const uint8_t *begin, uint64_t bytes, bool write, uint32_t limit)
{
    return {begin, bytes, 1, 0, write, limit};
}
Access rows_of(const uint8_t *begin, uint64_t row_bytes, uint32_t rows, int64_t stride, bool write, uint32_t limit)
{
    return {begin, row_bytes, rows, stride, write, limit};
}

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
    require_aligned(api, pc, operand, v, place.space == Space::L0A || place.space == Space::L0B ? 512
                                         : place.space == Space::L0C || place.space == Space::BT ? 64
                                                                                                 : block);
}

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

uint64_t bytes_of(uint64_t count, DType dtype) { return dtype == DType::I4 ? (count + 1) / 2 : count * dtype_bytes(dtype); }

void require_blocks(const char *api, const void *pc, uint64_t count, DType dtype)
{
    const uint64_t bytes = bytes_of(count, dtype);
    if (bytes % block != 0) {
        trap("COPY_LENGTH", api, pc, "%s: %llu elements of %s are %llu bytes, which is not a multiple of 32.", api,
             static_cast<unsigned long long>(count), dtype_name(dtype), static_cast<unsigned long long>(bytes));
    }
}

void require_rows(const char *api, const void *pc, uint32_t rows)
{
    constexpr uint32_t most = 4095; // the field has twelve bits
    if (rows > most) {
        trap("COPY_ROWS", api, pc, "%s: blockCount is %u; one copy moves at most %u blocks.", api, rows, most);
    }
}

template <typename T> T accumulate(Atomic op, T have, T with)
{
    return op == Atomic::add ? static_cast<T>(have + with) : op == Atomic::max ? std::max(have, with) : std::min(have, with);
}
template <typename T> void accumulate_run(Atomic op, uint8_t *dst, const uint8_t *src, uint64_t bytes)
{
    for (uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        T have, with;
        std::memcpy(&have, dst + at, sizeof(T));
        std::memcpy(&with, src + at, sizeof(T));
        have = accumulate(op, have, with);
        std::memcpy(dst + at, &have, sizeof(T));
    }
}
float widen(uint16_t bits)
{
    const uint32_t word = uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}
uint16_t narrow(float value)
{
    uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
        return static_cast<uint16_t>((word >> 16) | 0x40u);
    }
    return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}
void accumulate_brain(Atomic op, uint8_t *dst, const uint8_t *src, uint64_t bytes)
{
    for (uint64_t at = 0; at + 2 <= bytes; at += 2) {
        uint16_t have, with;
        std::memcpy(&have, dst + at, 2);
        std::memcpy(&with, src + at, 2);
        have = narrow(accumulate(op, widen(have), widen(with)));
        std::memcpy(dst + at, &have, 2);
    }
}

} // namespace

void store(const char *api, const void *pc, uint8_t *dst, const uint8_t *src, uint64_t bytes)
{
    const Atomic op = self->atomic;
    if (op == Atomic::none) {
        std::memcpy(dst, src, bytes);
        return;
    }
    switch (self->atomic_dtype) {
    case DType::F32:
        return accumulate_run<float>(op, dst, src, bytes);
    case DType::F16:
        return accumulate_run<_Float16>(op, dst, src, bytes);
    case DType::BF16:
        return accumulate_brain(op, dst, src, bytes);
    case DType::I32:
        return accumulate_run<int32_t>(op, dst, src, bytes);
    case DType::I16:
        return accumulate_run<int16_t>(op, dst, src, bytes);
    case DType::I8:
        return accumulate_run<int8_t>(op, dst, src, bytes);
    default:
        trap("DTYPE_SUPPORT", api, pc, "%s: atomic operations do not exist for %s.", api, dtype_name(self->atomic_dtype));
    }
}

// -- whole rows ------------------------------------------------------------------------------------------------------

static void rows_in(const char *api, const void *pc, const View &dst, const uint8_t *src, const Rows &r, DType dtype)
{
    self->last_pc = pc;
    if (r.rows == 0 || r.row_bytes == 0) {
        return;
    }
    require_rows(api, pc, r.rows);
    require_local(api, pc, "dst", dst);
    issue(transfer(api, pc, Pipe::MTE2, dtype, rows_of(dst.data, r.row_bytes, r.rows, r.dst_stride, true, dst.size_bytes),
                   rows_of(src, r.row_bytes, r.rows, r.src_stride, false, 0)));
    for (uint32_t i = 0; i < r.rows; ++i) {
        fetch(dst.data + i * r.dst_stride, src + i * r.src_stride, r.row_bytes);
    }
}

static void rows_out(const char *api, const void *pc, uint8_t *dst, const View &src, const Rows &r, DType dtype)
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

static void rows_local(const char *api, const void *pc, const View &dst, const View &src, const Rows &r, DType dtype)
{
    self->last_pc = pc;
    if (r.rows == 0 || r.row_bytes == 0) {
        return;
    }
    require_local(api, pc, "dst", dst);
    require_local(api, pc, "src", src);
    const Pipe pipe = local_pipe(api, pc, place_of(src.data).space, place_of(dst.data).space);
    Instr in = transfer(api, pc, pipe, dtype, rows_of(dst.data, r.row_bytes, r.rows, r.dst_stride, true, dst.size_bytes),
                        rows_of(src.data, r.row_bytes, r.rows, r.src_stride, false, src.size_bytes));
    in.elements = uint64_t{r.rows} * r.row_bytes / dtype_bytes(dtype);
    in.repeats = static_cast<uint32_t>((uint64_t{r.rows} * r.row_bytes + 255) / 256);
    issue(in);
    for (uint32_t i = 0; i < r.rows; ++i) {
        std::memmove(dst.data + i * r.dst_stride, src.data + i * r.src_stride, r.row_bytes);
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
            values.push_back(dtype == DType::BF16 ? widen(bits) : static_cast<float>(half));
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

static Rows whole(uint64_t count, DType dtype)
{
    return {1, static_cast<uint32_t>(bytes_of(count, dtype)), 0, 0};
}

void copy_in(View dst, uint8_t, const uint8_t *src, uint64_t count, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    require_blocks("DataCopy", pc, count, dtype);
    rows_in("DataCopy", pc, dst, src, whole(count, dtype), dtype);
}

void copy_out(uint8_t *dst, View src, uint8_t, uint64_t count, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    require_blocks("DataCopy", pc, count, dtype);
    rows_out("DataCopy", pc, dst, src, whole(count, dtype), dtype);
}

void copy_local(View dst, uint8_t, View src, uint8_t, uint64_t count, DType dtype)
{
    const void *pc = __builtin_return_address(0);
    require_blocks("DataCopy", pc, count, dtype);
    rows_local("DataCopy", pc, dst, src, whole(count, dtype), dtype);
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

// -- ragged rows: each is padded to 32 bytes on the chip ------------------------------------------------------------------

namespace {
struct Filler {
    bool given = false;
    uint64_t value = 0;
};
Filler &filler_register()
{
    static thread_local Filler filler; // one core is one thread
    return filler;
}
} // namespace

void set_filler(uint64_t value) { filler_register() = {true, value}; }
uint64_t filler() { return filler_register().value; }

void pad_in(View dst, uint8_t, const uint8_t *src, const Rows &r, const Pad &pad, DType dtype)
{
    const char *api = "DataCopyPad";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (r.rows == 0 || r.row_bytes == 0) {
        return;
    }
    require_rows(api, pc, r.rows);
    require_local(api, pc, "dst", dst);
    const uint32_t left = pad.on ? pad.left * pad.element_bytes : 0;
    const uint32_t right = pad.on ? pad.right * pad.element_bytes : 0;
    if (left > block || right > block) {
        trap("COPY_PADDING", api, pc, "%s: %u and %u bytes of padding; each side takes at most 32.", api, left, right);
    }
    const uint32_t row = (left + r.row_bytes + right + block - 1) / block * block;
    issue(transfer(api, pc, Pipe::MTE2, dtype, rows_of(dst.data, row, r.rows, r.dst_stride, true, dst.size_bytes),
                   rows_of(src, r.row_bytes, r.rows, r.src_stride, false, 0)));
    for (uint32_t i = 0; i < r.rows; ++i) {
        uint8_t *to = dst.data + i * r.dst_stride;
        const uint8_t *from = src + i * r.src_stride;
        fetch(to + left, from, r.row_bytes);
        // With padding the filler is the padding value; without any, also where isPad is set, what SetPadValue gave or
        // the row's first element (vendor page "DataCopyPad(ISASI)").
        const Filler &kept = filler_register();
        const uint8_t *filler = left + right > 0 ? reinterpret_cast<const uint8_t *>(&pad.value)
                                : kept.given     ? reinterpret_cast<const uint8_t *>(&kept.value)
                                                 : from;
        const auto fill = [&](uint32_t begin, uint32_t end) {
            for (uint32_t at = begin; at + pad.element_bytes <= end; at += pad.element_bytes) {
                std::memcpy(to + at, filler, pad.element_bytes);
            }
        };
        fill(0, left);
        fill(left + r.row_bytes, row);
    }
}

void pad_out(uint8_t *dst, View src, uint8_t, const Rows &rows, DType dtype)
{
    rows_out("DataCopyPad", __builtin_return_address(0), dst, src, rows, dtype);
}

void pad_local(View dst, uint8_t, View src, uint8_t, const Rows &rows, DType dtype)
{
    rows_local("DataCopyPad", __builtin_return_address(0), dst, src, rows, dtype);
}

// -- Copy: the vector unit -----------------------------------------------------------------------------------------------

void copy_repeats(View dst, View src, uint64_t lo, uint64_t hi, bool counted, uint32_t repeats, uint32_t dst_blk,
                  uint32_t src_blk, uint32_t dst_rep, uint32_t src_rep, DType dtype)
{
    const char *api = "Copy";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const uint32_t size = dtype_bytes(dtype);
    const uint32_t per_repeat = 256 / size;
    const bool counter = counted && self->mask.counter;
    uint64_t lanes = lo; // counted: the first `lo` elements
    if (counted && lo == 0) {
        if (counter) {
            lanes = self->mask.lo;
        } else {
            lo = self->mask.lo;
            hi = self->mask.hi;
            counted = false;
        }
    }
    if (repeats == 0) {
        return;
    }
    // Unlike the vector operations, Copy keeps its repeats in counter mode: each of them moves as many elements as the
    // mask says, 256 bytes and more, block after block.
    if (counted && !counter && lanes > per_repeat) {
        trap("MASK_RANGE", api, pc, "%s: mask %llu exceeds the %u elements of a repeat of %s.", api,
             static_cast<unsigned long long>(lanes), per_repeat, dtype_name(dtype));
    }
    require_local(api, pc, "dst", dst);
    require_local(api, pc, "src", src);
    const auto lane_on = [&](uint32_t lane) {
        return counted ? lane < lanes : ((lane < 64 ? lo >> lane : hi >> (lane - 64)) & 1) != 0;
    };
    uint32_t last = counter ? static_cast<uint32_t>(lanes) : 0;
    for (uint32_t lane = 0; !counter && lane < per_repeat; ++lane) {
        last = lane_on(lane) ? lane + 1 : last;
    }
    if (last == 0) {
        return;
    }
    const uint32_t per_block = block / size;
    const uint32_t blocks = (last + per_block - 1) / per_block;
    const auto reach = [&](uint32_t blk) {
        return uint64_t{blocks - 1} * blk * block + (last - (blocks - 1) * per_block) * size;
    };
    Instr in = transfer(api, pc, Pipe::V, dtype, rows_of(dst.data, reach(dst_blk), repeats, dst_rep * block, true, dst.size_bytes),
                        rows_of(src.data, reach(src_blk), repeats, src_rep * block, false, src.size_bytes));
    in.repeats = repeats * ((last + per_repeat - 1) / per_repeat);
    in.elements = uint64_t{repeats} * last;
    issue(in);
    for (uint32_t r = 0; r < repeats; ++r) {
        for (uint32_t lane = 0; lane < last; ++lane) {
            if (lane_on(lane)) {
                const uint64_t in_block = (lane % per_block) * size;
                std::memmove(dst.data + (uint64_t{r} * dst_rep + lane / per_block * uint64_t{dst_blk}) * block + in_block,
                             src.data + (uint64_t{r} * src_rep + lane / per_block * uint64_t{src_blk}) * block + in_block, size);
            }
        }
    }
}

// -- global memory ---------------------------------------------------------------------------------------------------------

void fill_global(uint8_t *dst, uint64_t count, uint32_t element_bytes, uint64_t value)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (count == 0) {
        return;
    }
    Instr in = {};
    in.api = "InitGlobalMemory";
    in.op = "DataCopyPad";
    in.pc = pc;
    in.pipe = Pipe::MTE3;
    in.dtype = DType::NONE;
    in.n_access = 1;
    in.access[0] = one_run(dst, count * element_bytes, true, 0);
    issue(in);
    // The vendor's implementation waits for its own copies before it returns.
    self->hazards.barrier(Pipe::ALL);
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(dst + i * element_bytes, &value, element_bytes);
    }
}

void set_atomic(Atomic op, DType dtype)
{
    self->last_pc = __builtin_return_address(0);
    self->atomic = op;
    self->atomic_dtype = dtype;
    self->atomic_pc = self->last_pc;
}

void set_atomic_type(DType dtype) { self->atomic_dtype = dtype; }
void set_atomic_op(Atomic op)
{
    self->atomic = op;
    self->atomic_pc = __builtin_return_address(0);
}

DType atomic_type() { return self->atomic == Atomic::none ? DType::NONE : self->atomic_dtype; }

void clean_cache(uint8_t *address, bool whole)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (!whole) {
        require_global("DataCacheCleanAndInvalid", pc, address, 1, false);
    }
    launch->global->clean(*self, address, whole);
}

} // namespace akgen::twin
