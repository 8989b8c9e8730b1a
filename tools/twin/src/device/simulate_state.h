// What the event simulation keeps of each core and pipe while it runs.
#pragma once
#include "bandwidth.h"
#include "cost.h"
#include "simulate.h"
#include <cstdint>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

constexpr int scalar = 0;
constexpr int other_cause = 7;
constexpr uint32_t first_queue = 9; // place of a flag: below, an event id; from here on, a queue

struct Moment {
    double time;
    uint64_t order; // of creation: ties are broken the same way in every run
    enum class What : uint8_t { scalar, start, finish, flag, cross } what;
    uint8_t a, b, c; // pipe; or flag from, to, id
    uint32_t core;
    uint32_t buffers = 0; // flag: of the queue that it belongs to
    bool operator>(const Moment &o) const { return time != o.time ? time > o.time : order > o.order; }
};

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
};
struct CoreProgress {
    size_t next = 0; // record that the scalar unit handles next
    double time = 0; // of the scalar unit
    bool waiting = false, ended = false;
    double waiting_since = 0;
    int waiting_on = other_cause;
    Why waiting_why = Why::data;
    PipeState pipes[7];
    Line<double> flags[7][7][9]; // by event id; the last are unit flags
    struct QueueFlag {
        Line<double> line;
        uint32_t given = 0; // buffers that it has more of, so far
    };
    std::vector<QueueFlag> queue_flags;
    uint32_t cross_votes[16] = {};
    Line<double> cross[16];
    int64_t rounds = 0;
};

} // namespace akgen::twin
#pragma GCC visibility pop
