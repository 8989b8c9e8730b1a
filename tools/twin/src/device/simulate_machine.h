// The machine that the simulation runs. Only the files of the simulation include this.
#pragma once
#include "core.h"
#include "simulate_state.h"
#include <array>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

class Machine {
public:
    Machine(const Launch &launch, const Replay &replay, const CostModel &costs, uint64_t most_spans);
    Simulation run();

private:
    // The event loop (simulate.cpp).
    void push(Moment m)
    {
        m.order = ++created_;
        moments_.push(m);
    }
    bool step();
    void run_on(uint32_t core, double now); // from record to record for as long as nothing else happens before
    void run_scalar(uint32_t core, double now, bool alone = false);

    // Pipes (simulate_pipe.cpp).
    uint8_t place(const Record &r) const;
    Line<double> &flag_of(uint32_t core, uint32_t from, uint32_t to, uint32_t place, uint32_t buffers);
    void blocked(PipeState &p, double now, const Record &wait);
    void unblocked(uint32_t core, int pipe, double now);
    void try_start(uint32_t core, int pipe, double now);
    void pop(uint32_t core, int pipe, double now);
    void begin(uint32_t core, int pipe, uint32_t index, double now);
    void finish(uint32_t core, int pipe, double now);

    // Scalar units (simulate_scalar.cpp). What returns a bool says whether the record is dealt with; if not, the scalar
    // unit must wait.
    bool hold(uint32_t core, double now, int cause, double retry = -1, Why why = Why::data);
    bool handle(uint32_t core, const Record &r, uint32_t index, double now);
    bool enter(uint32_t core, int pipe, uint32_t index, double now);
    bool drained(uint32_t core, double now);
    bool meet(uint32_t core, const Record &r, double now);
    void vote(uint32_t core, const Record &r, double at);

    static bool at_rest(const PipeState &p) { return !p.busy && p.queue.empty(); }
    const Record &record(uint32_t core, uint32_t index) const { return (*replay_.parts[core].records)[index]; }
    const Core &of(uint32_t core) const { return *launch_.cores[replay_.parts[core].core]; }

    const Launch &launch_;
    const Replay &replay_;
    const CostModel &costs_;
    const uint64_t most_spans_;
    std::vector<CoreProgress> cores_;
    std::vector<std::array<uint32_t, 7>> running_; // the record that a pipe is at, by core and pipe
    Simulation out_;
    std::priority_queue<Moment, std::vector<Moment>, std::greater<>> moments_;
    Bandwidth bandwidth_;
    std::map<int64_t, double> met_; // when the gate of a round opens
    std::set<std::pair<uint32_t, size_t>> arrived_;
    uint64_t created_ = 0;
    uint32_t in_scalar_ = 0; // the core whose scalar unit is at work, and one
    bool goes_on_ = false;
};

} // namespace akgen::twin
#pragma GCC visibility pop
