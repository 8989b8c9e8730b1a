// An API that is made of several instructions: the first ones carry its operands, the others only take time.
#pragma once
#include "facts.h"
#include "record.h"
#include <vector>

namespace akgen::twin {

class Composite {
public:
    Composite(const ApiFacts &api, const void *pc, DType worked_in, uint64_t elements)
        : api_(api.name), steps_(api.steps), pc_(pc), worked_in_(worked_in), elements_(elements)
    {
    }
    // A span; an absent operand is passed over.
    void span(const char *name, const View &v, uint64_t bytes, bool write);
    // `rows` runs of row_bytes, `stride_bytes` apart.
    void matrix(const char *name, const View &v, uint64_t row_bytes, uint32_t rows, uint64_t stride_bytes, bool write);
    // The API's shared temporary buffer: at least `least` bytes are needed to compute anything at all.
    void temporary(const View &work, uint64_t least);
    // Warn as warn_of_sharing does; of the accesses entered so far, before temporary().
    void no_sharing() const;
    // Record the instructions; leaves normal mode and a full mask behind, as the APIs do.
    void record();

private:
    const char *api_;
    const char *const *steps_;
    const void *pc_;
    DType worked_in_;
    uint64_t elements_;
    View work_ = {nullptr, 0};
    uint64_t least_ = 0;
    size_t work_at_ = 0; // among the accesses
    std::vector<Access> accesses_;
};

// Trap TEMPORARY_SIZE if a shared temporary buffer ends before `least` bytes; raw addresses pass. An API without one
// takes it from what InitBuffer left of the Unified Buffer: trap UB_OVERFLOW if that is less.
void require_temporary(const char *api, const void *pc, const View &work, uint64_t least);

// Trap UB_ALIGNMENT if `what`, of so many elements, does not end with a block of 32 bytes.
void require_whole_blocks(const char *api, const void *pc, const char *what, uint64_t elements, uint32_t bytes);

// What the host's functions ask for at least where rows are worked on as float: one row and a repeat.
constexpr uint64_t row_scratch_bytes(uint64_t columns) { return columns * sizeof(float) + 256; }

// Warn TEMPORARY_SIZE if a shared temporary buffer has fewer bytes than the host's GetXxxMaxMinTmpSize asks for.
void warn_of_little(const char *api, const void *pc, const View &work, uint64_t minimum);

// Warn TEMPORARY_OVERLAP if a shared temporary buffer begins within an operand, or an operand within its first bytes.
void require_apart(const char *api, const void *pc, const View &work, uint64_t least, const View &operand,
                   uint64_t bytes);

// Warn PARTIAL_OVERLAP if any of `n` accesses writes what another one reads, which the API's reference rules out.
void warn_of_sharing(const char *api, const void *pc, const Access *accesses, size_t n);

} // namespace akgen::twin
