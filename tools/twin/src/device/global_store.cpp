// What is particular to writing global memory: atomic stores, fills, and the lines of the data cache.
#include "transfer.h"
#include "core.h"
#include "vector/half.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

namespace {
template <typename T> T accumulate(Atomic op, T have, T with)
{
    return op == Atomic::add   ? static_cast<T>(have + with)
           : op == Atomic::max ? std::max(have, with)
                               : std::min(have, with);
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
void accumulate_brain(Atomic op, uint8_t *dst, const uint8_t *src, uint64_t bytes)
{
    for (uint64_t at = 0; at + 2 <= bytes; at += 2) {
        uint16_t have, with;
        std::memcpy(&have, dst + at, 2);
        std::memcpy(&with, src + at, 2);
        have = narrow_bfloat(accumulate(op, widen_bfloat(have), widen_bfloat(with)));
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
    case DType::F32: return accumulate_run<float>(op, dst, src, bytes);
    case DType::F16: return accumulate_run<_Float16>(op, dst, src, bytes);
    case DType::BF16: return accumulate_brain(op, dst, src, bytes);
    case DType::I32: return accumulate_run<int32_t>(op, dst, src, bytes);
    case DType::I16: return accumulate_run<int16_t>(op, dst, src, bytes);
    case DType::I8: return accumulate_run<int8_t>(op, dst, src, bytes);
    default:
        trap("DTYPE_SUPPORT", api, pc, "%s: atomic operations do not exist for %s.", api,
             dtype_name(self->atomic_dtype));
    }
}

void fill_global(uint8_t *dst, uint64_t count, uint32_t element_bytes, uint64_t value)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (count == 0) {
        return;
    }
    constexpr uint64_t most = uint64_t{1} << 40; // what both together must not pass, lest their product wraps
    if (element_bytes == 0 || element_bytes > sizeof value || count > most) {
        trap("GM_OVERRUN", "InitGlobalMemory", pc, "InitGlobalMemory: %llu elements of %u bytes lie in no tensor.",
             static_cast<unsigned long long>(count), element_bytes);
    }
    Instr in = {};
    in.api = "InitGlobalMemory";
    in.op = "DataCopyPad";
    in.pc = pc;
    in.pipe = Pipe::MTE3;
    in.dtype = DType::NONE;
    in.n_access = 1;
    in.access[0] = one_run(dst, count * element_bytes, true, 0);
    const GmBuffer &buffer = require_global(in.api, pc, dst, count * element_bytes, true);
    launch->global->fill(in, dst, count * element_bytes, value, element_bytes, buffer);
    issue(in);
    // The vendor's implementation waits for its own copies before it returns.
    self->detector.barrier(Pipe::ALL);
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
    if (whole) {
        self->data_cache.forget_all();
    } else {
        const GmBuffer &buffer = require_global("DataCacheCleanAndInvalid", pc, address, 1, false);
        self->data_cache.forget(buffer.device_address + static_cast<uint64_t>(address - buffer.data));
    }
    if (launch->written_lines) {
        whole ? launch->written_lines->write_back_all() : launch->written_lines->write_back(address);
    }
    if (launch->global->clean(*self, address, whole, self->detector.before(Pipe::S, Pipe::MTE3))) {
        look_for_others();
    }
}

} // namespace akgen::twin
