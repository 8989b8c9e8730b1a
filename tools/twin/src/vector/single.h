// One vector instruction with a destination and up to two sources: record it, then compute it.
#pragma once
#include "walk.h"
#include <cstring>
#include <memory>

namespace akgen::twin {

struct SingleInstr {
    const char *api;
    const char *row;
    const void *pc;
    DType type;
    const Operand *dst;
    const Operand *src[2];
    Loop loop;
    uint64_t scalar;
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
