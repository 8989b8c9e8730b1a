// What the simulation's scalar units do with each record: hand it to a pipe, wait for pipes, meet other cores.
#include "simulate_machine.h"
#include <algorithm>

namespace akgen::twin {

bool Machine::hold(uint32_t core, double now, int cause, double retry, Why why)
{
    CoreProgress &c = cores_[core];
    if (!c.waiting) {
        c.waiting = true;
        c.waiting_since = now;
        c.waiting_on = cause;
        c.waiting_why = why;
    }
    if (retry > now) {
        push({retry, Moment::What::scalar, 0, 0, 0, core});
    }
    return false;
}

// True when the record is dealt with; false when the scalar unit must wait.
bool Machine::handle(uint32_t core, const Record &r, uint32_t index, double now)
{
    CoreProgress &c = cores_[core];
    switch (r.kind) {
    case Kind::scalar:
        c.time = now + costs_.of_scalar(r);
        worked(core, index, c.time - now, true);
        return true;
    case Kind::auto_wait: {
        if (r.pipe != scalar) {
            return true; // the scalar unit is in order: what it did is done
        }
        const PipeState &p = c.pipes[r.work];
        if (p.done_at.size() < r.aux) {
            return hold(core, now, static_cast<int>(r.work));
        }
        const double done = p.done_at[r.aux - 1];
        if (done > now) {
            return hold(core, now, static_cast<int>(r.work), done);
        }
        if (replay_.trace && c.waiting) {
            replay_.trace->needed(core, scalar, r.work, r.aux);
        }
        return true;
    }
    case Kind::barrier:
        if (r.pipe == static_cast<uint8_t>(Pipe::ALL)) {
            return drained(core, now);
        }
        return r.pipe == scalar || enter(core, r.pipe, index, now);
    case Kind::sync_all: return drained(core, now) && meet(core, r, now);
    case Kind::set:
        if (r.pipe >> 4 == scalar) {
            c.time = now + costs_.of_event(r);
            push({c.time - costs_.scalar_op + costs_.flag, Moment::What::flag, 0, static_cast<uint8_t>(r.pipe & 15),
                  place(r), core, r.aux});
            if (replay_.trace) {
                replay_.trace->ran(core, scalar, index, now, c.time);
                replay_.trace->raised(core, scalar, r.pipe & 15, place(r));
                replay_.trace->flag_passed(core, index, now);
            }
            return true;
        }
        return enter(core, r.pipe >> 4, index, now);
    case Kind::wait: {
        if ((r.pipe & 15) != scalar) {
            return enter(core, r.pipe & 15, index, now);
        }
        auto &flag = flag_of(core, r.pipe >> 4, scalar, place(r), r.aux);
        if (flag.empty()) {
            return hold(core, now, r.pipe >> 4);
        }
        flag.pop_front();
        c.time = now + costs_.of_event(r) - costs_.scalar_op;
        if (replay_.trace) {
            replay_.trace->taken(core, r.pipe >> 4, scalar, place(r), false);
            replay_.trace->flag_passed(core, index, now);
        }
        return true;
    }
    case Kind::cross_set:
        if (r.pipe == scalar) {
            if (replay_.trace) {
                replay_.trace->ran(core, scalar, index, now, now + costs_.scalar_op);
            }
            vote(core, r, now);
            return true;
        }
        return enter(core, r.pipe, index, now);
    case Kind::cross_wait:
        if (c.cross[r.op].empty()) {
            return hold(core, now, other_cause);
        }
        c.cross[r.op].pop_front();
        if (replay_.trace) {
            replay_.trace->taken_across(core, r.op);
        }
        return true;
    default:
        if (r.pipe == scalar) {
            c.time = now + costs_.scalar_op;
            return true;
        }
        return enter(core, r.pipe, index, now);
    }
}

void Machine::worked(uint32_t core, uint32_t index, double cycles, bool shown)
{
    out_.use[core][scalar].busy += cycles;
    if (replay_.trace) {
        replay_.trace->busy(core, scalar, index, cycles, !shown);
        if (shown) {
            replay_.trace->ran(core, scalar, index, cores_[core].time - cycles, cores_[core].time);
        }
    }
}

bool Machine::enter(uint32_t core, int pipe, uint32_t index, double now)
{
    CoreProgress &c = cores_[core];
    PipeState &p = c.pipes[pipe];
    if (p.queue.size() >= costs_.queue_depth) {
        return hold(core, now, pipe, -1, Why::issue);
    }
    if (at_rest(p)) {
        out_.use[core][pipe].waited[static_cast<int>(Why::issue)] += std::max(0.0, now - p.rests_since);
    }
    p.queue.push_back(index);
    const Record &r = record(core, index);
    const bool flag = r.kind == Kind::set || r.kind == Kind::wait;
    const double takes = flag                                                         ? costs_.of_event(r)
                         : r.kind == Kind::instr && pipe == static_cast<int>(Pipe::V) ? costs_.scalar_op + costs_.mask
                                                                                      : costs_.scalar_op;
    c.time = now + takes;
    worked(core, index, takes, false);
    ++out_.use[core][scalar].instructions;
    if (!p.busy && p.blocked_since < 0) { // else the end of what it does or waits for starts it
        push({c.time, Moment::What::start, static_cast<uint8_t>(pipe), 0, 0, core});
    }
    return true;
}

bool Machine::drained(uint32_t core, double now)
{
    double done = now;
    int last = other_cause;
    for (int i = 1; i < 7; ++i) {
        const PipeState &p = cores_[core].pipes[i];
        if (p.busy || !p.queue.empty()) {
            return hold(core, now, i);
        }
        if (p.done > done) {
            done = p.done;
            last = i;
        }
    }
    return done <= now || hold(core, now, last, done);
}

bool Machine::meet(uint32_t core, const Record &r, double now)
{
    CoreProgress &c = cores_[core];
    const bool of_vectors = r.op != 0;
    if (arrived_.insert({core, c.next}).second) {
        ++c.rounds[of_vectors];
    }
    const int64_t round = c.rounds[of_vectors];
    double open = now;
    for (uint32_t other = 0; other < cores_.size(); ++other) {
        const bool takes_part = !(of_vectors && of(other).cube);
        if (takes_part && cores_[other].rounds[of_vectors] < round && !cores_[other].ended) {
            return hold(core, now, other_cause);
        }
    }
    double &met = met_[{of_vectors, round}];
    if (met == 0) { // the last one to arrive opens the gate for all
        met = open + costs_.sync_all;
        for (uint32_t other = 0; other < cores_.size(); ++other) {
            push({met, Moment::What::scalar, 0, 0, 0, other});
        }
    }
    return met <= now || hold(core, now, other_cause);
}

void Machine::vote(uint32_t core, const Record &r, double at)
{
    const Core &from = *launch_.cores[core];
    const uint32_t mode = r.work;
    const auto addressed = [&](const Core &to) {
        return mode == 0   ? to.cube == from.cube
               : mode == 1 ? !to.cube && to.block == from.block
                           : to.cube != from.cube && to.block == from.block;
    };
    uint32_t group = 0;
    for (const auto &to : launch_.cores) {
        group += addressed(*to);
    }
    // Mode 3 is the library's own: one vote is enough.
    const uint32_t needed = mode == 3 || (mode == 2 && from.cube) ? 1 : mode == 2 ? launch_.vector_per_block : group;
    for (const auto &to : launch_.cores) {
        if (addressed(*to) && ++cores_[to->index].cross_votes[r.op] % needed == 0) {
            push({at + costs_.flag, Moment::What::cross, static_cast<uint8_t>(r.op), 0, 0, to->index});
            if (replay_.trace) {
                replay_.trace->raised_across(core, r.pipe, to->index, r.op);
            }
        }
    }
}

} // namespace akgen::twin
