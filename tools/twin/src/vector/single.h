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
        from_ = from;
        bytes_ = bytes;
    }
    bool wanted() const { return from_ != nullptr; }
    uint8_t *take()
    {
        // Loops may load a full vector; keep room behind.
        held_.reset(new uint8_t[bytes_ + 64]());
        std::memcpy(held_.get(), from_, bytes_);
        return held_.get();
    }

private:
    const uint8_t *from_ = nullptr;
    uint64_t bytes_ = 0;
    std::unique_ptr<uint8_t[]> held_;
};

} // namespace akgen::twin
