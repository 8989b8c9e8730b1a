// Races between pipes: who wrote and read which 32-byte block, and what each pipe knows of the others.
//
// Every instruction of a pipe gets the pipe's next number. seen[q][p] is the last number of pipe p that is known to be
// complete before pipe q's next instruction. Flags, barriers and the scalar unit's issue order raise it; the
// compiler's automatic synchronisation raises it on demand for the pairs it covers (V-V, V-S, MTE2-S, MTE3-S).
#pragma once
#include "akgen/runtime.h"
#include "pages.h"
#include <cstdint>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Region;

class Hazards {
public:
    static constexpr int pipes = 7;
    struct Conflict {
        bool found = false;
        Pipe other = Pipe::S;
        bool other_wrote = false;
        bool more = false;   // there are others, on another pipe or of another kind
        uint32_t number = 0; // of the other pipe's instruction
        uint32_t block = 0;  // first conflicting 32-byte block of the region
    };
    // Numbers of other pipes that the automatic synchronisation makes this instruction wait for; 0: none.
    struct Waits {
        uint32_t number[pipes] = {};
        bool same_pipe = false; // depends on an earlier instruction of its own pipe
    };

    // Start a shadow for region index, out of `spare`, to which end() gives it back.
    void watch(int region, uint32_t size_bytes, SpareNumbers &spare);
    void end();
    // Enter one instruction: begin() once, then access() per operand range, then the number is the pipe's.
    void begin(Pipe pipe, bool auto_sync);
    Conflict access(int region, uint32_t first_byte, uint32_t bytes, bool write);
    // The first 32-byte block in a range that nothing has ever written, or -1.
    int64_t unwritten(int region, uint32_t first_byte, uint32_t bytes) const;
    const Waits &waits() const { return waits_; }
    // Whether pipe `of` waits for instruction `number` of pipe `other` before its next one.
    bool knows(Pipe of, Pipe other, uint32_t number) const { return seen_[int(of)][int(other)] >= number; }
    uint32_t number() const { return number_; }
    // Those of pipe `other` that the instruction is not ordered after: numbers above the first, up to the second.
    std::pair<uint32_t, uint32_t> unordered(Pipe other) const { return {seen_[pipe_][int(other)], now_[int(other)]}; }

    // A flag counts: what each set knew, oldest first.
    struct Known {
        uint32_t number[pipes];
        const void *pc; // of the set
    };
    void set(Pipe from, Pipe to, int id, const void *pc);
    const void *set_by(Pipe from, Pipe to, int id) const { return flags_[int(from)][int(to)][id].back().pc; }
    bool wait(Pipe from, Pipe to, int id); // false: nobody set it
    uint32_t pending(Pipe from, Pipe to, int id) const
    {
        return static_cast<uint32_t>(flags_[int(from)][int(to)][id].size());
    }
    void barrier(Pipe pipe);
    // Order what `later` does next behind all that `earlier` did; returns the number of earlier's last instruction.
    uint32_t follow(Pipe later, Pipe earlier);

private:
    struct Shadow {
        uint32_t blocks = 0;
        uint32_t *written[pipes] = {};
        uint32_t *read[pipes] = {};
        std::vector<uint64_t> ever; // blocks that any pipe has written, one bit each
    };
    void meet(Shadow &shadow, int other, uint32_t first, uint32_t last, bool write, Conflict &conflict);

    Shadow shadows_[7];
    SpareNumbers *spare_ = nullptr;
    uint32_t now_[pipes] = {};
    uint32_t seen_[pipes][pipes] = {};
    std::vector<Known> flags_[pipes][pipes][8];
    Waits waits_;
    int pipe_ = 0;
    uint32_t number_ = 0;
    bool auto_sync_ = true;
};

} // namespace akgen::twin
#pragma GCC visibility pop
