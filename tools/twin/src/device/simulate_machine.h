// The machine that the simulation runs. Only the files of the simulation include this.
#pragma once
#include "core.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <utility>
#include <vector>
#include "cost.h"
#include "moment_queue.h"
#include "second_cache.h"
#include "simulate.h"
#include "trace.h"
#include <cstdint>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

// Transfers to and from global memory, which share what memory and the second-level cache give. Each transfer has a
// rate that it would reach alone; where all together ask for more than there is, all are slowed down alike.
struct Transfer {
    uint32_t core;
    uint8_t pipe;
    double cycles;       // with all bandwidth to itself
    double cache_bytes;  // moved through the cache
    double memory_bytes; // of which memory must give or take
};

class Bandwidth {
public:
    // In bytes per cycle.
    Bandwidth(double cache, double memory, double most_backlog_bytes)
        : cache_(cache), memory_(memory), most_backlog_(most_backlog_bytes)
    {
    }
    void start(const Transfer &transfer, double now);
    // Lines that the cache passes on to memory, when transfers leave room. Nobody waits, until there are too many.
    void write_back(double bytes, double now);
    double next_end() const { return std::min(ends_[0], ends_[1]); } // infinity: nothing runs
    Transfer finish();                                               // the one that ends next, at next_end()

private:
    struct Running {
        double virtual_end;
        uint64_t order;
        Transfer transfer;
        bool operator>(const Running &o) const
        {
            return virtual_end != o.virtual_end ? virtual_end > o.virtual_end : order > o.order;
        }
    };
    struct Lane { // in virtual time, in which each transfer runs at its own full rate
        double now = 0;
        std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
    };
    double speed(int lane, bool behind) const;
    double behind_for() const;
    double end_of(int lane) const;
    void foresee();
    void run(double cycles, bool behind);
    void advance(double to);

    static constexpr double while_behind = 1.0 / 8; // of memory, for transfers, while the cache has too much to write
    Lane lanes_[2];                                 // 0: all comes from the cache; 1: some from memory
    double cache_, memory_, most_backlog_, backlog_ = 0;
    double cache_demand_ = 0, memory_demand_ = 0;
    double now_ = 0;
    double ends_[2] = {INFINITY, INFINITY}; // by lane, as things stand; they are asked for at every step
    uint64_t started_ = 0;
};

// What the event simulation keeps of each core and pipe while it runs.
constexpr int scalar = 0;
constexpr int other_cause = 7;
constexpr uint32_t first_queue = 13; // place of a flag: below, an event id; from here on, a queue

// First in, first out; costs nothing until it is used, for most flags never are.
template <typename T> class Line {
public:
    bool empty() const { return first_ == waiting_.size(); }
    size_t size() const { return waiting_.size() - first_; }
    const T &front() const { return waiting_[first_]; }
    void push_back(T value) { waiting_.push_back(value); }
    void pop_front()
    {
        if (++first_ == waiting_.size()) {
            waiting_.clear();
            first_ = 0;
        }
    }

private:
    std::vector<T> waiting_;
    size_t first_ = 0;
};

struct PipeState {
    Line<uint32_t> queue; // records issued and not yet begun
    bool busy = false;
    double free_at = 0;
    double done = 0; // result of the last instruction
    double begun = 0;
    double blocked_since = -1;
    int blocked_on = other_cause;
    Why blocked_why = Why::data;
    double rests_since = 0;      // has nothing to do
    uint32_t number = 0;         // instructions completed or running
    std::vector<double> done_at; // by instruction number
    Cost cost;
    bool past_cache = false; // of the copy in that it runs
};
struct CoreProgress {
    size_t next = 0; // record that the scalar unit handles next
    double time = 0; // of the scalar unit
    bool waiting = false, ended = false;
    bool retired = false; // its pipes are through, too
    double waiting_since = 0;
    int waiting_on = other_cause;
    Why waiting_why = Why::data;
    PipeState pipes[7];
    // By event id; 8 are unit flags, from 9 on those of Matmul objects. None: no flag of these two pipes.
    std::unique_ptr<std::array<Line<double>, first_queue>> flags[7][7];
    struct QueueFlag {
        Line<double> line;
        uint32_t given = 0; // buffers that it has more of, so far
    };
    std::vector<QueueFlag> queue_flags;
    uint32_t cross_votes[16] = {};
    Line<double> cross[16];
    int64_t rounds[2] = {}; // barriers: of all cores, of vector cores only
};

class Machine {
public:
    Machine(const Launch &launch, const Replay &replay, const CostModel &costs);
    Simulation run();

private:
    // The event loop (simulate.cpp).
    void push(const Moment &m) { moments_.push(m); }
    bool step();
    void run_on(uint32_t core, double now); // from record to record for as long as nothing else happens before
    void run_scalar(uint32_t core, double now, bool alone = false);

    // Blocks (simulate.cpp): as many as the chip has room for run at once, the others in their order behind them.
    void form_blocks();
    void start_block(double now);
    void retire(uint32_t core); // when nothing of it is left to do

    // Pipes (simulate_pipe.cpp).
    uint8_t place(const Record &r) const;
    Line<double> &flag_of(uint32_t core, uint32_t from, uint32_t to, uint32_t place, uint32_t buffers);
    void blocked(PipeState &p, double now, const Record &wait);
    void unblocked(uint32_t core, int pipe, double now);
    void try_start(uint32_t core, int pipe, double now);
    void pop(uint32_t core, int pipe, double now);
    void begin(uint32_t core, int pipe, uint32_t index, double now);
    void finish(uint32_t core, int pipe, double now);
    Traffic traffic_of(uint32_t core, int pipe, const Record &r); // of a copy that begins now

    // Scalar units (simulate_scalar.cpp). What returns a bool says whether the record is dealt with; if not, the scalar
    // unit must wait.
    bool hold(uint32_t core, double now, int cause, double retry = -1, Why why = Why::data);
    bool handle(uint32_t core, const Record &r, uint32_t index, double now);
    bool enter(uint32_t core, int pipe, uint32_t index, double now);
    bool drained(uint32_t core, double now);
    bool meet(uint32_t core, const Record &r, double now);
    void vote(uint32_t core, const Record &r, double at);

    // A pipe waited since a time, at the place of a record.
    void stalled(uint32_t core, int pipe, uint32_t index, double since, double now, int on, Why why);
    void worked(uint32_t core, uint32_t index, double cycles, bool shown); // the scalar unit, up to now

    static bool at_rest(const PipeState &p) { return !p.busy && p.queue.empty(); }
    const Record &record(uint32_t core, uint32_t index) const { return (*replay_.parts[core].records)[index]; }
    const Core &of(uint32_t core) const { return *launch_.cores[replay_.parts[core].core]; }

    const Launch &launch_;
    const Replay &replay_;
    const CostModel &costs_;
    std::vector<CoreProgress> cores_;
    std::vector<std::array<uint32_t, 7>> running_; // the record that a pipe is at, by core and pipe
    Simulation out_;
    MomentQueue moments_;
    Bandwidth bandwidth_;
    std::map<std::pair<bool, int64_t>, double> met_; // when the gate of a barrier's round opens
    std::set<std::pair<uint32_t, size_t>> arrived_;
    SecondCache *const cache_;
    std::vector<std::array<uint32_t, 7>> copied_; // by core and pipe: copies that have begun
    struct Sum {
        double missed = 0, back = 0, moved = 0, handled = 0, bytes = 0;
        bool uncached = false, odd = false;
    };
    std::vector<Sum> sums_;  // by tensor
    uint32_t in_scalar_ = 0; // the core whose scalar unit is at work, and one
    bool goes_on_ = false;
    std::vector<std::vector<uint32_t>> blocks_; // the cores of each, in the order in which they start
    std::vector<uint32_t> block_of_, left_of_;  // by core; by block: cores that are not through
    size_t next_block_ = 0;
};

} // namespace akgen::twin
#pragma GCC visibility pop
