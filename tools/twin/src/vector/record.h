// Recording vector instructions whose operands are plain spans, and running one with up to two sources.
#pragma once
#include "facts.h"
#include <cstring>
#include <memory>

namespace akgen::twin {

inline Instr vector_instr(const char *api, const char *row, const void *pc, DType type, uint64_t elements)
{
    Instr instr{};
    instr.api = api;
    instr.op = row;
    instr.pc = pc;
    instr.pipe = Pipe::V;
    instr.dtype = type;
    instr.elements = elements;
    instr.repeats = static_cast<uint32_t>((elements * dtype_bits(type) + 2047) / 2048);
    return instr;
}
inline Instr vector_instr(const char *api, const char *row, const void *pc, DType type, const Walk &w)
{
    Instr instr = vector_instr(api, row, pc, type, w.active);
    instr.repeats = w.repeats;
    return instr;
}
// The API's first instruction.
inline Instr vector_instr(const ApiFacts &api, const void *pc, DType type, uint64_t elements)
{
    return vector_instr(api.name, api.steps[0], pc, type, elements);
}
inline Instr vector_instr(const ApiFacts &api, const void *pc, DType type, const Walk &w)
{
    return vector_instr(api.name, api.steps[0], pc, type, w);
}
inline void add_span(Instr &instr, const View &v, uint64_t bytes, bool write)
{
    if (v.data && bytes && instr.n_access < 6) {
        instr.access[instr.n_access++] = Access{v.data, bytes, 1, 0, write, v.size_bytes};
    }
}
inline View part(const View &v, uint64_t offset)
{
    const uint32_t left = v.size_bytes == 0       ? 0
                          : v.size_bytes > offset ? static_cast<uint32_t>(v.size_bytes - offset)
                                                  : 1;
    return View{v.data + offset, left};
}

// One vector instruction with a destination and up to two sources: record it, then compute it.
struct SingleInstr {
    const char *api;
    const char *row;
    const void *pc;
    DType type;
    const Operand *dst;
    const Operand *src[2];
    Loop loop;
    uint64_t scalar;
    bool carries = false;       // a repeat may take what an earlier one wrote as its second source
    DType result = DType::NONE; // type of dst, where saturation may change what is in it
};
void run_single(const SingleInstr &s, const Walk &w);
void require_stride(const char *api, const void *pc, const Operand &o);

// A copy of a source that must be read before anything is written.
class Scratch {
public:
    void copy(const uint8_t *from, uint64_t bytes)
    {
        held_.reset(new uint8_t[bytes + 64]()); // loops may load a full vector; keep room behind
        std::memcpy(held_.get(), from, bytes);
    }
    uint8_t *take() { return held_.get(); }

private:
    std::unique_ptr<uint8_t[]> held_;
};

} // namespace akgen::twin
