// What the simulation notes for a Chrome trace, when one is asked for: instructions and waits in time, what followed
// from which flag, which buffers were in use, and what each place in the kernel cost.
#pragma once
#include "record.h"
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Launch;
constexpr size_t most_trace_held = 16000; // of all cores: buffers taken and given back
// Of what a trace has room for, the part of one core. The first block has a third of it all, so that one block at least
// is shown to its end where the others are not.
size_t trace_share(size_t whole, bool first_block, size_t of_first_block, size_t cores);

class Trace {
public:
    struct Span { // an instruction, or a wait, in cycles
        uint32_t core, record;
        uint8_t pipe;
        bool waits;
        double start, end;
    };
    enum class Cause : uint8_t { data, buffer, cores }; // of an arrow: a result, a buffer given back, another core
    struct Arrow {
        uint32_t from, to; // spans
        Cause cause;
    };
    struct Cost {
        double busy = 0, stalled = 0;
        uint64_t instructions = 0;
    };
    struct LeftOut {
        uint64_t spans = 0, arrows = 0, held = 0, places = 0;
    };

    explicit Trace(const Launch &launch);

    // An instruction ran, or the scalar unit worked.
    void ran(uint32_t core, int pipe, uint32_t record, double start, double end);
    // A pipe was kept waiting, at the place of `record`.
    void waited(uint32_t core, int pipe, uint32_t record, double start, double end);
    void busy(uint32_t core, int pipe, uint32_t record, double cycles, bool instruction);

    // A flag is raised by what its pipe did last, and holds back what the other pipe does next.
    void raised(uint32_t core, uint32_t from, uint32_t to, uint32_t place);
    void taken(uint32_t core, uint32_t from, uint32_t to, uint32_t place, bool buffer);
    void raised_across(uint32_t from_core, int pipe, uint32_t to_core, uint32_t flag);
    void taken_across(uint32_t core, uint32_t flag);
    void needed(uint32_t core, int pipe, uint32_t other, uint32_t number); // the other pipe's instruction, from 1

    // The scalar unit, or a pipe with a flag, is past this record: buffers change hands.
    void passed(uint32_t core, uint32_t record, double now);
    void flag_passed(uint32_t core, uint32_t record, double now);

    void write(const Launch &launch, const std::vector<double> &core_begin, const std::vector<double> &core_end,
               int fd) const;

private:
    static constexpr uint32_t none = UINT32_MAX;
    struct Source {
        uint32_t span;
        Cause cause;
    };
    struct PerPipe {
        std::vector<uint32_t> spans; // of its first instructions, by number
        uint32_t last = none;        // the span of what it did last
        std::vector<Source> causes;  // of what it does next
    };
    struct PerCore {
        const Log *log = nullptr;
        size_t spans_left = 0, arrows_left = 0;
        double cut_at = -1; // when the first span was left out
        std::array<PerPipe, 7> pipes;
        std::map<uint32_t, std::deque<uint32_t>> flags, flags_across; // who raised them, first in first out
        std::vector<double> held_at;                                  // by number of Log::held; below zero: not yet
        size_t next_held = 0;
        std::unordered_map<uint32_t, uint32_t> held_by_flag; // number of Log::held by record
    };
    uint32_t add(uint32_t core, int pipe, uint32_t record, double start, double end, bool waits);
    bool room(PerCore &core, double start); // for one more span
    void follow(PerCore &core, PerPipe &pipe, uint32_t span);
    void add_cause(PerPipe &pipe, Source source);
    void take(std::map<uint32_t, std::deque<uint32_t>> &flags, uint32_t key, PerPipe &to, Cause cause);
    Cost &cost_of(uint32_t pc, int pipe);

    void write_lanes(const Launch &launch, class TraceWriter &out) const;
    void write_buffers(const Launch &launch, const std::vector<double> &core_begin, const std::vector<double> &core_end,
                       class TraceWriter &out) const;
    std::string places() const;

    std::vector<PerCore> cores_;
    std::vector<Span> spans_;
    std::vector<Arrow> arrows_;
    std::map<std::pair<uint32_t, int>, Cost> costs_; // by place and pipe
    LeftOut left_out_;
};

} // namespace akgen::twin
#pragma GCC visibility pop
