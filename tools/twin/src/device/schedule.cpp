// The baton: one core runs at a time, and hands over only where it waits or ends. So a launch is deterministic.
#include "akgen/sync.h"
#include "core.h"
#include <algorithm>
#include "pipe.h"
#include "report.h"
#include <string>

namespace akgen::twin {

namespace {
Core *next_ready(const Core &after)
{
    const size_t count = launch->cores.size();
    for (size_t step = 1; step <= count; ++step) {
        const size_t away = launch->last_core_first ? count - step : step;
        Core &core = *launch->cores[(after.index + away) % count];
        if (core.state == CoreState::ready && (core.worker || !launch->idle.empty())) {
            return &core;
        }
    }
    return nullptr;
}

const char *wait_name(Wait::What what)
{
    switch (what) {
    case Wait::What::sync_all: return "SyncAll";
    case Wait::What::cross_flag: return "CrossCoreWaitFlag";
    case Wait::What::block_event: return "IBWait";
    default: return "nothing";
    }
}

void report_deadlock()
{
    std::string waiting;
    size_t listed = 0, done = 0, total = 0;
    const Core *first = nullptr;
    for (const auto &core : launch->cores) {
        done += core->state == CoreState::done;
        if (core->state != CoreState::waiting) {
            continue;
        }
        first = first ? first : core.get();
        ++total;
        if (++listed <= 4) {
            waiting += (listed > 1 ? ", " : "") + core->name + " in " + wait_name(core->wait.what) +
                       (core->wait.what == Wait::What::sync_all ? "" : " for id " + std::to_string(core->wait.id));
        }
    }
    if (total > listed || total > 4) {
        waiting += ", ...";
    }
    const bool polled = first->wait.what == Wait::What::sync_all && first->sync_polled > 0;
    launch->report->add({"DEADLOCK", wait_name(first->wait.what),
                         std::to_string(total) + " cores wait and none can go on (" + waiting + "); " +
                             std::to_string(done) + " cores have ended" +
                             (polled ? ", and SyncAll reads in its workspace whether each of " +
                                           std::to_string(first->sync_polled) + " cores has come."
                                     : "."),
                         "error", first->name, so_offset(first->wait.pc), 1});
}

} // namespace

void release_all()
{
    for (const auto &core : launch->cores) {
        core->turn = true;
        core->turned.notify_one();
    }
    for (const auto &worker : launch->workers) {
        worker->called.notify_one();
    }
}

void hand_to(Core &core)
{
    core.turn = true;
    launch->running = &core;
    if (core.worker) {
        core.turned.notify_one();
        return;
    }
    core.worker = launch->idle.front();
    launch->idle.pop_front();
    core.worker->core = &core;
    core.worker->called.notify_one();
}

void wait_here(Wait::What what, int64_t id, const void *pc)
{
    bool leave = false;
    {
        std::unique_lock lock(launch->baton);
        Core &me = *self;
        me.state = CoreState::waiting;
        me.wait = {what, id, pc};
        if (Core *next = next_ready(me)) {
            me.turn = false;
            hand_to(*next);
            me.turned.wait(lock, [&] { return me.turn; });
        } else {
            report_deadlock();
            launch->ended = true;
        }
        leave = launch->ended;
    }
    if (leave) { // outside the lock: leaving jumps over destructors
        leave_core();
    }
}

void pause_here()
{
    bool leave = false;
    {
        std::unique_lock lock(launch->baton);
        Core &me = *self;
        Core *next = next_ready(me);
        if (!next || next == &me) {
            return;
        }
        me.turn = false;
        hand_to(*next);
        me.turned.wait(lock, [&] { return me.turn; });
        leave = launch->ended;
    }
    if (leave) { // outside the lock: leaving jumps over destructors
        leave_core();
    }
}

void look_for_others()
{
    constexpr uint32_t often = 16;
    if (++self->looks % often == 0) {
        pause_here();
    }
}

void wake(Core &core)
{
    if (core.state == CoreState::waiting) {
        core.state = CoreState::ready;
        core.wait = {};
    }
}

bool ended_unmarked(const Core &waiting, const Core &core)
{
    return waiting.sync_polled > 0 && !core.cube && core.state == CoreState::done &&
           core.sync_rounds[waiting.sync_of_vectors] < waiting.sync_rounds[waiting.sync_of_vectors] &&
           block_idx_of(core) < waiting.sync_polled;
}

void warn_of_ended(const Core &waiting, const char *api, const void *pc)
{
    const bool of_vectors = waiting.sync_of_vectors;
    int64_t round = 0;
    for (const auto &core : launch->cores) {
        round = std::max(round, core->sync_rounds[of_vectors]);
    }
    uint32_t absent = 0;
    for (const auto &core : launch->cores) {
        const bool counted = waiting.sync_polled == 0 || block_idx_of(*core) < waiting.sync_polled;
        const bool takes_part = counted && !(core->cube && of_vectors);
        absent += takes_part && core->state == CoreState::done && core->sync_rounds[of_vectors] < round;
    }
    if (absent) {
        launch->report->add({"SYNC_MISSING", api,
                             std::to_string(absent) +
                                 " cores ended without the SyncAll that the others call; whether the "
                                 "chip goes on then is not documented.",
                             "warning", self->name, so_offset(pc), 1});
    }
}

namespace {
// Whether all that a core in a barrier waits for have ended, which counts as arrived.
bool waits_for_ended(const Core &waiting)
{
    const bool of_vectors = waiting.sync_of_vectors;
    return std::all_of(launch->cores.begin(), launch->cores.end(), [&](const auto &core) {
        return (core->cube && of_vectors) || core->sync_rounds[of_vectors] >= waiting.sync_rounds[of_vectors] ||
               (core->state == CoreState::done && !ended_unmarked(waiting, *core));
    });
}

bool open_gate()
{
    std::vector<Core *> going;
    for (const auto &core : launch->cores) {
        if (core->state == CoreState::waiting && core->wait.what == Wait::What::sync_all && waits_for_ended(*core)) {
            going.push_back(core.get());
        }
    }
    if (going.empty()) {
        return false;
    }
    warn_of_ended(*going.back(), "SyncAll", going.back()->wait.pc);
    for (Core *core : going) {
        wake(*core);
    }
    return true;
}
} // namespace

namespace {
void run_core(Core &core, void (*program)(void *), void *argument)
{
    self = &core;
    if (!launch->ended) {
        take_arena(core);
        core.log.records.reserve(launch->usual_records);
    }
    if (!launch->ended && sigsetjmp(core.escape, 1) == 0) {
        program(argument);
        core.pipe = nullptr;
        settle_races();
        if (launch->written_lines) {
            launch->written_lines->write_back_all();
        }
        settle_queues(true);
        check_flags_left();
        if (core.atomic != Atomic::none) {
            warn("ATOMIC_LEFT", "SetAtomic", core.atomic_pc,
                 "Atomic accumulation is still on when core %s ends; copies of the next kernel accumulate.",
                 core.name.c_str());
        }
        launch->global->release(core, {ended_key, core.index}, GlobalRaceDetector::all_copies);
    }
}

// Note that a core has ended, and give the baton on.
void leave(Core &core)
{
    launch->usual_records = core.log.records.size();
    give_arena(core);
    core.state = CoreState::done;
    core.worker->core = nullptr;
    core.worker->served = true;
    // One thread is enough for cores that do not wait for each other: the others cost least where they never wake. What
    // the last core left on it is cleared where the code is sealed, and other code gets a fresh one.
    if (launch->guest) {
        launch->idle.push_front(core.worker);
    } else {
        launch->idle.push_back(core.worker);
    }
    core.worker = nullptr;
    if (launch->ended) {
        release_all();
    } else if (Core *next = next_ready(core)) {
        hand_to(*next);
    } else if (open_gate()) {
        hand_to(*next_ready(core));
    } else {
        for (const auto &other : launch->cores) {
            if (other->state == CoreState::waiting) {
                report_deadlock();
                launch->ended = true;
                break;
            }
        }
        launch->over = true;
        release_all();
    }
    self = nullptr;
}
} // namespace

void run_cores(Launch &own, Worker &worker, void (*program)(void *), void *of_vector, void *of_cube)
{
    std::unique_lock lock(own.baton);
    for (;;) {
        worker.called.wait(lock, [&] { return worker.core || own.over || own.ended; });
        if (!worker.core) {
            return;
        }
        Core &core = *worker.core;
        lock.unlock();
        run_core(core, program, core.cube ? of_cube : of_vector);
        lock.lock();
        leave(core);
    }
}

} // namespace akgen::twin
