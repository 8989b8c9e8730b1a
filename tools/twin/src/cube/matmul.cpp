// The high-level matrix product. Its owner is a vector core (the cube core of its block does the work and answers) or a
// cube core itself. Results are computed at once; who waits for them, and when, is told to the timeline.
#include "akgen/matmul.h"
#include "convert.h"
#include "matmul_plan.h"
#include "nibbles.h"
#include "operand.h"
#include "sums.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace akgen::twin {

namespace {
// Flags between a vector core and the server on its cube core, beyond those that kernels can name.
constexpr uint16_t ask_flag = 11, answer_flag = 13; // + number of the vector core in its block
constexpr uint32_t single_vote = 3;

struct Owner { // of products; each core has its own thread
    Core *cube = nullptr;
    uint32_t waiting = 0;      // answers not yet waited for
    std::vector<uint8_t> sums; // of the last product, for enPartialSum
};
thread_local Owner owner;

Core &cube_core(const char *api, const void *pc)
{
    if (!owner.cube) {
        if (self->cube) {
            owner.cube = self;
        }
        for (const auto &core : launch->cores) {
            if (!owner.cube && core->cube && core->block == self->block) {
                owner.cube = core.get();
            }
        }
    }
    if (!owner.cube) {
        trap("MATMUL_CORES", api, pc,
             "%s: this launch has vector cores only; a Matmul object needs the block's cube core.", api);
    }
    return *owner.cube;
}

uint64_t rows_stored(const Stored &s, uint32_t rows, uint32_t columns) { return s.transposed ? columns : rows; }
uint64_t columns_stored(const Stored &s, uint32_t rows, uint32_t columns) { return s.transposed ? rows : columns; }

uint64_t offset_of(const Stored &s, uint64_t row, uint64_t column, uint32_t c0)
{
    row += s.row;
    column += s.column;
    if (!s.fractal) {
        return row * s.stride + column;
    }
    return column / c0 * ((s.stride + 15) / 16 * 16) * c0 + row * c0 + column % c0;
}

// An operand in L1 stays where it is.
void check_in_l1(const Stored &s, const Region &region, uint64_t bytes, const char *api, const void *pc)
{
    const auto offset = static_cast<uint64_t>(s.data - region.begin);
    if (offset + bytes > region.size_bytes || (s.limit_bytes && bytes > s.limit_bytes)) {
        trap("TENSOR_RANGE", api, pc,
             "%s: a matrix of %llu bytes is read from byte %llu of L1, where its buffer has %u bytes.", api,
             static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset),
             s.limit_bytes ? s.limit_bytes : static_cast<uint32_t>(region.size_bytes - offset));
    }
    constexpr int l1 = static_cast<int>(Space::L1) - static_cast<int>(Space::UB);
    if (self->hazards.unwritten(l1, static_cast<uint32_t>(offset), 1) >= 0) {
        warn("UNWRITTEN_DATA", api, pc, "%s: byte %llu of L1 is read, and nothing has written it.", api,
             static_cast<unsigned long long>(offset));
    }
}

// Check the memory that a stored matrix touches; on-chip tensors are entered on the pipe that moves them.
void check(const Stored &s, uint32_t rows, uint32_t columns, bool write, uint32_t c0, const char *api, const void *pc)
{
    const uint64_t high = rows_stored(s, rows, columns), wide = columns_stored(s, rows, columns);
    const Place place = place_of(s.data);
    if (place.region) {
        const uint64_t bytes = bytes_of(offset_of(s, high - 1, wide - 1, c0) + 1, s.type);
        if (place.space == Space::L1 && !write) {
            open_tscm(api, pc);
            return check_in_l1(s, *place.region, bytes, api, pc);
        }
        Instr in = cube_instr(api, "DataCopy", pc, write ? Pipe::MTE2 : Pipe::MTE3, s.type);
        in.n_access = 1;
        in.access[0] = one_run(s.data, bytes, write, s.limit_bytes);
        return issue(in);
    }
    if (s.fractal) {
        require_global(api, pc, s.data, bytes_of(offset_of(s, high - 1, wide - 1, c0) + 1, s.type), write);
        return;
    }
    require_global(api, pc, s.data + byte_of(offset_of(s, 0, 0, c0), s.type), bytes_of(wide, s.type), write);
    require_global(api, pc, s.data + byte_of(offset_of(s, high - 1, 0, c0), s.type), bytes_of(wide, s.type), write);
}

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

uint8_t quant_of(const Product &p, bool whole)
{
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

template <typename T> void compute(const Product &p, const char *api, const void *pc, uint32_t c0)
{
    static thread_local std::vector<T> left, right, block;
    left.resize(uint64_t{p.m} * p.k);
    right.assign(uint64_t{p.k} * lanes, 0);
    unpack(p.a, p.m, p.k, left.data());
    round(left.data(), left.size(), p.hf32);
    const uint64_t sums = uint64_t{(p.n + lanes - 1) / lanes} * p.m * lanes;
    const bool go_on = p.add_to_last && owner.sums.size() == sums * sizeof(T);
    block.assign(sums, 0);
    if (go_on) {
        std::memcpy(block.data(), owner.sums.data(), owner.sums.size());
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
    owner.sums.assign(reinterpret_cast<const uint8_t *>(block.data()),
                      reinterpret_cast<const uint8_t *>(block.data() + sums));
    const bool global = place_of(p.c.data).region == nullptr;
    const uint8_t quant = quant_of(p, std::is_same_v<T, int32_t>);
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

void note(Core &core, Kind kind, Pipe pipe, uint16_t id, const void *pc)
{
    core.log.event(kind, static_cast<uint8_t>(pipe), id, static_cast<uint32_t>(so_offset(pc)),
                   kind == Kind::cross_set ? single_vote : 0);
}

// Before and after it copies from or to its owner's memory, the library waits for the owner's pipes.
void drain(const void *pc)
{
    self->hazards.barrier(Pipe::ALL);
    self->log.event(Kind::barrier, static_cast<uint8_t>(Pipe::ALL), 0, static_cast<uint32_t>(so_offset(pc)));
}

// A product takes longer than what the owner's pipes have in hand: public kernels take the wait for a barrier.
void wait_for_answers(const void *pc)
{
    if (owner.waiting > 0) {
        self->hazards.barrier(Pipe::ALL);
    }
    for (; owner.waiting > 0; --owner.waiting) {
        note(*self, Kind::cross_wait, Pipe::S, static_cast<uint16_t>(answer_flag + self->sub_block), pc);
    }
}
} // namespace

void matmul_register(const void *)
{
    cube_core("REGIST_MATMUL_OBJ", __builtin_return_address(0));
    self->matmul = true;
}

void matmul(const Product &asked_for, const char *api, bool wait)
{
    Product p = asked_for;
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    Core &cube = cube_core(api, pc);
    if (p.m == 0 || p.n == 0 || p.k == 0) {
        return;
    }
    if (!p.a.data || !p.b.data) {
        trap("NULL_POINTER", api, pc, "%s: %s is not set.", api, !p.a.data ? "A (SetTensorA)" : "B (SetTensorB)");
    }
    const bool whole = p.a.type == DType::I8 || p.a.type == DType::I4;
    const uint8_t quant = quant_of(p, whole);
    if (p.a.type != p.b.type || !converts(quant, p.c.type, whole ? DType::I32 : DType::F32)) {
        trap("DTYPE_SUPPORT", api, pc, "%s: %s x %s into %s does not exist.", api, dtype_name(p.a.type),
             dtype_name(p.b.type), dtype_name(p.c.type));
    }
    if (p.a.type == DType::I4 && ((!p.a.fractal && p.a.stride % 2 != 0) || (!p.b.fractal && p.b.stride % 2 != 0))) {
        trap("CUBE_RANGE", api, pc,
             "%s: rows of int4b_t begin at whole bytes; those of A have %llu elements, those of B %llu.", api,
             static_cast<unsigned long long>(p.a.stride), static_cast<unsigned long long>(p.b.stride));
    }
    require_room_for(cube, p, api, pc);
    const bool local = place_of(p.a.data).region || place_of(p.b.data).region || place_of(p.c.data).region;
    if (local) {
        drain(pc);
    }
    const bool split = p.split_channels && p.c.type == DType::F32;
    const uint32_t c0 = p.c.fractal ? (dtype_bytes(p.c.type) == 1 ? 32 : split ? 8 : 16) : 1;
    check(p.a, p.m, p.k, false, lanes_of(p.a.type), api, pc);
    check(p.b, p.k, p.n, false, lanes_of(p.b.type), api, pc);
    check(p.c, p.m, p.n, true, c0, api, pc);
    if (p.bias_type != DType::NONE && place_of(p.bias.data).region == nullptr) {
        require_global(api, pc, p.bias.data, uint64_t{p.n} * dtype_bytes(p.bias_type), false);
    }
    const bool asked = &cube != self;
    if (p.a.type != DType::F32) {
        p.hf32 = 0;
    } else if (p.hf32 == 0 && !asked && hf32.on) {
        p.hf32 = static_cast<uint8_t>(1 + hf32.away);
    }
    if (asked) {
        note(*self, Kind::cross_set, Pipe::S, static_cast<uint16_t>(ask_flag + self->sub_block), pc);
        note(cube, Kind::cross_wait, Pipe::S, static_cast<uint16_t>(ask_flag + self->sub_block), pc);
    }
    log_product(cube, p, pc, api);
    if (asked) {
        note(cube, Kind::cross_set, Pipe::FIX, static_cast<uint16_t>(answer_flag + self->sub_block), pc);
        ++owner.waiting;
        if (wait || place_of(p.c.data).region) {
            wait_for_answers(pc);
        }
    }
    whole ? compute<int32_t>(p, api, pc, c0) : compute<float>(p, api, pc, c0);
    if (local) {
        drain(pc);
    }
    if (asked) {
        pause_here(); // so that the requests of a block's cores reach its cube core in turns
    }
}

void matmul_wait()
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    wait_for_answers(pc);
}

} // namespace akgen::twin
