// The event loop: what happens next, in time; and the scalar units, which go from record to record.
#include "simulate_machine.h"
#include <algorithm>
#include <cmath>

namespace akgen::twin {

namespace {
// The cache holds back what it must write up to this part of its size.
constexpr double dirty_parts = 16;
} // namespace

Machine::Machine(const Launch &launch, const Replay &replay, const CostModel &costs)
    : launch_(launch), replay_(replay), costs_(costs), cores_(replay.parts.size()), running_(replay.parts.size()),
      bandwidth_(costs.cache_rate, costs.memory_rate, launch.chip->at("l2_size") / dirty_parts), cache_(replay.cache),
      copied_(replay.parts.size()), sums_(most_buffers + 1)
{
    out_.use.resize(cores_.size());
    out_.core_begin.resize(cores_.size());
    out_.core_end.resize(cores_.size());
    form_blocks();
}

Simulation Machine::run()
{
    uint32_t room = launch_.chip_blocks();
    for (const auto &core : launch_.cores) {
        // Blocks that meet each other must all be there: on a chip a launch of more hangs, and has its finding.
        room = core->sync_rounds[0] + core->sync_rounds[1] > 0 ? UINT32_MAX : room;
    }
    for (uint32_t slot = 0; slot < room && next_block_ < blocks_.size(); ++slot) {
        out_.at_once += static_cast<uint32_t>(blocks_[next_block_].size());
        start_block(0);
    }
    while (step()) {
    }
    for (uint32_t c = 0; c < cores_.size(); ++c) {
        double end = cores_[c].time;
        for (const PipeState &pipe : cores_[c].pipes) {
            end = std::max({end, pipe.done, pipe.free_at});
            out_.stuck = out_.stuck || !pipe.queue.empty();
        }
        out_.stuck = out_.stuck || !cores_[c].ended;
        out_.core_end[c] = end;
        out_.cycles = std::max(out_.cycles, end);
    }
    double memory = 0, moved = 0;
    for (const Sum &sum : sums_) {
        memory += sum.missed + sum.back * costs_.write_back_times;
        moved += sum.moved;
        out_.shares.push_back({sum.moved > 0 ? sum.missed / sum.moved : 0, sum.moved > 0 ? sum.back / sum.moved : 0,
                               sum.handled > 0 ? sum.bytes / sum.handled : 1, 1, sum.uncached, sum.odd});
    }
    out_.memory_cycles = std::max(memory / costs_.memory_rate, moved / costs_.cache_rate);
    return std::move(out_);
}

void Machine::form_blocks()
{
    std::map<uint32_t, uint32_t> numbers; // by the launch's own number of the block
    block_of_.resize(cores_.size());
    for (uint32_t c = 0; c < cores_.size(); ++c) {
        const bool own = !launch_.mixed; // a vector or cube core by itself
        const uint32_t number = own ? c : numbers.emplace(of(c).block, numbers.size()).first->second;
        blocks_.resize(std::max<size_t>(blocks_.size(), number + 1));
        blocks_[number].push_back(c);
        block_of_[c] = number;
    }
    for (const auto &block : blocks_) {
        left_of_.push_back(static_cast<uint32_t>(block.size()));
    }
}

void Machine::start_block(double now)
{
    for (const uint32_t core : blocks_[next_block_]) {
        out_.core_begin[core] = now;
        for (PipeState &pipe : cores_[core].pipes) {
            pipe.rests_since = now;
        }
        push({now, Moment::What::scalar, 0, 0, 0, core});
    }
    ++next_block_;
}

void Machine::retire(uint32_t core)
{
    CoreProgress &c = cores_[core];
    double end = c.time;
    for (const PipeState &pipe : c.pipes) {
        if (!at_rest(pipe)) {
            return;
        }
        end = std::max({end, pipe.done, pipe.free_at});
    }
    if (c.retired) {
        return;
    }
    c.retired = true;
    const uint32_t block = block_of_[core];
    if (--left_of_[block] == 0 && next_block_ < blocks_.size()) {
        double last = end;
        for (const uint32_t other : blocks_[block]) {
            last = std::max(last, cores_[other].time);
        }
        start_block(last + costs_.block_start);
    }
}

bool Machine::step()
{
    const double transfer_end = bandwidth_.next_end();
    if (moments_.empty() && transfer_end == INFINITY) {
        return false;
    }
    if (moments_.empty() || transfer_end <= moments_.first_time()) {
        const Transfer done = bandwidth_.finish();
        const double tail = cores_[done.core].pipes[done.pipe].cost.tail;
        if (tail > 0) {
            push({transfer_end + tail, Moment::What::finish, done.pipe, 0, 0, done.core});
        } else {
            finish(done.core, done.pipe, transfer_end);
        }
        return true;
    }
    const Moment m = moments_.pop();
    switch (m.what) {
    case Moment::What::scalar: run_on(m.core, m.time); break;
    case Moment::What::start: try_start(m.core, m.a, m.time); break;
    case Moment::What::finish: finish(m.core, m.a, m.time); break;
    case Moment::What::flag:
        flag_of(m.core, m.a, m.b, m.c, m.buffers).push_back(m.time);
        m.b == scalar ? run_scalar(m.core, m.time) : try_start(m.core, m.b, m.time);
        break;
    case Moment::What::cross:
        cores_[m.core].cross[m.a].push_back(m.time);
        run_scalar(m.core, m.time);
        break;
    }
    return true;
}

// The scalar unit goes on from record to record for as long as nothing else happens before.
void Machine::run_on(uint32_t core, double now)
{
    for (bool again = true; again;) {
        goes_on_ = false;
        run_scalar(core, now, true);
        now = cores_[core].time;
        again = goes_on_ && (moments_.empty() || moments_.first_time() > now) && bandwidth_.next_end() > now;
    }
    if (goes_on_) {
        goes_on_ = false;
        push({now, Moment::What::scalar, 0, 0, 0, core});
    }
}

void Machine::run_scalar(uint32_t core, double now, bool alone)
{
    CoreProgress &c = cores_[core];
    if (c.ended || in_scalar_ == core + 1) {
        return;
    }
    if (now < c.time) {
        if (c.waiting) { // woken early: look again when its own clock is there
            push({c.time, Moment::What::scalar, 0, 0, 0, core});
        }
        return;
    }
    const uint32_t outer = in_scalar_;
    in_scalar_ = core + 1;
    const auto &records = *replay_.parts[core].records;
    c.time = now;
    if (c.next < records.size()) {
        const bool was_waiting = c.waiting;
        const double since = c.waiting_since;
        const int cause = c.waiting_on;
        const Why why = c.waiting_why;
        if (handle(core, records[c.next], static_cast<uint32_t>(c.next), now)) {
            if (was_waiting) {
                stalled(core, scalar, static_cast<uint32_t>(c.next), since, now, cause, why);
            }
            if (replay_.trace) {
                replay_.trace->passed(core, static_cast<uint32_t>(c.next), now);
            }
            c.waiting = false;
            ++c.next;
            if (alone) {
                goes_on_ = true;
            } else {
                push({c.time, Moment::What::scalar, 0, 0, 0, core});
            }
        }
    } else {
        c.ended = true;
        for (uint32_t other = 0; other < cores_.size(); ++other) { // some may have waited for this one
            const int64_t *const rounds = cores_[other].rounds;
            if (cores_[other].waiting && (rounds[0] > c.rounds[0] || rounds[1] > c.rounds[1])) {
                push({now, Moment::What::scalar, 0, 0, 0, other});
            }
        }
        retire(core);
    }
    in_scalar_ = outer;
}

Replay as_recorded(const Launch &launch)
{
    Replay replay;
    for (const auto &core : launch.cores) {
        replay.parts.push_back({&core->log.records, core->index});
    }
    return replay;
}

Simulation simulate(const Launch &launch, const Replay &replay, const CostModel &costs)
{
    return Machine(launch, replay, costs).run();
}

} // namespace akgen::twin
