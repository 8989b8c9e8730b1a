// Synchronisation between cores, and who the running core is.
#include "akgen/sync.h"
#include "core.h"
#include <algorithm>

namespace akgen::twin {

namespace {
// The documentation says 15; a public library of kernels sets a flag 16 times before it asks for the answer.
constexpr uint32_t most_pending = 16;
// Where cores release their vector clocks (GlobalRaceDetector), as ended_key; what lies in memory has its address.
constexpr uint64_t barrier_key = 1;
constexpr uint64_t flag_key = 2; // and a number for each core that waits and each of its flags

uint64_t flag_of(const Core &core, uint32_t id) { return flag_key + uint64_t{core.index} * 16 + id; }
uint64_t cross_round(uint32_t mode, uint32_t nth) { return uint64_t{mode} << 32 | nth; }

// Cores wait for all others, which other streams may keep from starting.
void require_batch(const char *api, const void *pc)
{
    if (!launch->batch && launch->blocks > 1) {
        warn("SCHEDULE_MODE", api, pc,
             "%s: %u blocks wait for each other, and the host did not ask that they start together.", api,
             launch->blocks);
    }
}

// The chip passes flags between cores only for kernels of a type whose name has MIX.
void require_flags(const char *api, const void *pc)
{
    if (!launch->flags_between_cores) {
        trap("DEADLOCK", api, pc,
             "%s: the kernel type is KERNEL_TYPE_AIV_ONLY or KERNEL_TYPE_AIC_ONLY, for which the chip passes no flags "
             "between cores; KERNEL_TYPE_MIX_AIV_1_0 or KERNEL_TYPE_MIX_AIC_1_0 runs the same cores with them.",
             api);
    }
}

bool takes_part(const Core &core, bool vector_only) { return !(vector_only && core.cube); }

// `polled`: cores whose marks in memory are read; 0: the chip's own flags.
void join_all(bool vector_only, int64_t polled, const char *api, const void *pc)
{
    self->last_pc = pc;
    if (vector_only && self->cube) {
        trap("DEADLOCK", api, pc, "%s: the form for vector cores is called on a cube core.", api);
    }
    require_all_running(api, pc);
    require_batch(api, pc);
    self->detector.barrier(Pipe::ALL);
    const int64_t round = ++self->sync_rounds[vector_only];
    const GlobalRaceDetector::Where here{barrier_key, static_cast<uint64_t>(round) * 2 + vector_only};
    launch->global->release(*self, here);
    self->log.event(Kind::sync_all, 0, vector_only, static_cast<uint32_t>(so_offset(pc)));
    self->sync_of_vectors = vector_only;
    self->sync_polled = polled;
    bool last = true;
    for (const auto &core : launch->cores) {
        const bool left = core->state == CoreState::done && !ended_unmarked(*self, *core);
        const bool arrived = core->sync_rounds[vector_only] >= round || left;
        last = last && (!takes_part(*core, vector_only) || arrived);
    }
    if (!last) {
        wait_here(Wait::What::sync_all, round, pc);
    }
    launch->global->acquire(*self, here);
    for (const auto &core : launch->cores) {
        if (core->state == CoreState::done && core->sync_rounds[vector_only] < round) { // counts as arrived
            launch->global->acquire(*self, {ended_key, core->index});
        }
    }
    if (!last) {
        return;
    }
    warn_of_ended(*self, "SyncAll", pc);
    for (const auto &core : launch->cores) {
        if (core->wait.what == Wait::What::sync_all && core->sync_of_vectors == vector_only &&
            core->sync_rounds[vector_only] == round) {
            wake(*core);
        }
    }
}

// mode 0: all cores of one kind; 1: the vector cores of a block; 2: a cube core and the vector cores of its block.
bool addressed(const Core &to, uint32_t mode)
{
    if (mode == 0) {
        return to.cube == self->cube;
    }
    if (mode == 1) {
        return !to.cube && to.block == self->block;
    }
    return to.cube != self->cube && to.block == self->block;
}
} // namespace

void sync_all(bool vector_only)
{
    const void *pc = __builtin_return_address(0);
    if (!launch->barriers) {
        require_flags("SyncAll", pc);
    } else if (!launch->flags_between_cores) {
        warn("DEADLOCK", "SyncAll", pc,
             "SyncAll: the documentation wants __mix__(0, 1) instead of __vector__ for a kernel whose cores meet.");
    }
    if (!vector_only && !launch->mixed && !self->cube) {
        self->last_pc = pc;
        trap(
            "DEADLOCK", "SyncAll", pc,
            "SyncAll<false>: it waits for cube cores, and the kernel runs on vector cores alone; SyncAll() is theirs.");
    }
    join_all(vector_only || !launch->mixed, 0, "SyncAll", pc);
}

void sync_all_soft(uint8_t *workspace, View scratch, int32_t cores)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const uint64_t count = cores > 0 ? static_cast<uint64_t>(cores) : static_cast<uint64_t>(block_num());
    require_global("SyncAll", pc, workspace, count * 32, true);
    require_scratch("SyncAll", pc, scratch, count * 32);
    const auto mine = static_cast<uint64_t>(block_idx());
    if (mine < count) {
        warn_of_mark("SyncAll", pc, workspace + mine * 32);
    }
    join_all(true, static_cast<int64_t>(count), "SyncAll", pc);
}

// In modes 0 and 1 a core goes on when every member of the group has set the flag; in mode 2
// one side sets for the other.
void cross_core_set(uint32_t mode, Pipe pipe, uint32_t id)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (id >= 16 || mode > 2 || pipe >= Pipe::ALL) {
        trap("EVENT_ID", "CrossCoreSetFlag", pc,
             "CrossCoreSetFlag: flag %u in mode %u; flags are 0 to 10, modes 0 to 2.", id, mode);
    }
    if (id > 10) {
        warn("EVENT_ID", "CrossCoreSetFlag", pc,
             "CrossCoreSetFlag: flag %u; flags 11 to 15 are the system's, SyncAll among its uses.", id);
    }
    if (id < 2 * self->objects) {
        warn("EVENT_ID", "CrossCoreSetFlag", pc,
             "CrossCoreSetFlag: flag %u; flags 0 to %u belong to the kernel's Matmul objects.", id,
             2 * self->objects - 1);
    }
    if (pipe == Pipe::S) {
        warn("EVENT_ID", "CrossCoreSetFlag", pc,
             "CrossCoreSetFlag on PIPE_S in mode %u; modes 0 to 2 take a pipe of copies or of a compute unit.", mode);
    }
    require_flags("CrossCoreSetFlag", pc);
    if (mode == 0) {
        require_all_running("CrossCoreSetFlag", pc);
        require_batch("CrossCoreSetFlag", pc);
    }
    self->log.event(Kind::cross_set, static_cast<uint8_t>(pipe), static_cast<uint16_t>(id),
                    static_cast<uint32_t>(so_offset(pc)), mode);
    const auto group = [mode](const Core &receiver, const Core &core) { // core sets the flag that receiver waits for
        return mode == 2 ? core.cube != receiver.cube && core.block == receiver.block : addressed(core, mode);
    };
    std::vector<GlobalRaceDetector::Where> where;
    for (const auto &core : launch->cores) {
        if (!addressed(*core, mode)) {
            continue;
        }
        Core::CrossFlag::Group &sets = core->cross[id].groups[mode];
        sets.sets.resize(launch->cores.size());
        where.emplace_back(flag_of(*core, id), cross_round(mode, sets.sets[self->index]++));
        uint32_t fewest = ~0u;
        for (const auto &peer : launch->cores) {
            fewest = group(*core, *peer) ? std::min(fewest, sets.sets[peer->index]) : fewest;
        }
        if (fewest > sets.complete) {
            core->cross[id].given.push_back(cross_round(mode, sets.complete++));
            if (core->cross[id].given.size() > most_pending) {
                trap("FLAG_TWICE", "CrossCoreSetFlag", pc,
                     "CrossCoreSetFlag: flag %u is set more than %u times without a wait.", id, most_pending);
            }
            if (core->wait.what == Wait::What::cross_flag && core->wait.id == id) {
                wake(*core);
            }
        }
    }
    const Pipe out = self->cube ? Pipe::FIX : Pipe::MTE3;
    launch->global->release(*self, where.data(), where.size(), self->detector.before(pipe, out));
}

void cross_core_wait(uint32_t id)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (id >= 16) {
        trap("EVENT_ID", "CrossCoreWaitFlag", pc, "CrossCoreWaitFlag: flag %u; flags are 0 to 10.", id);
    }
    std::deque<uint64_t> &given = self->cross[id].given;
    while (given.empty()) {
        wait_here(Wait::What::cross_flag, id, pc);
    }
    launch->global->take(*self, {flag_of(*self, id), given.front()});
    given.pop_front();
    self->log.event(Kind::cross_wait, 0, static_cast<uint16_t>(id), static_cast<uint32_t>(so_offset(pc)));
}

int64_t block_idx_of(const Core &core)
{
    return core.cube || !launch->mixed ? core.block : core.block * launch->vector_per_block + core.sub_block;
}
int64_t block_idx() { return block_idx_of(*self); }
int64_t raw_block_idx() { return self->block; }
int64_t block_num() { return launch->blocks; }
int64_t sub_block_idx() { return self->sub_block; }
int64_t sub_block_num() { return launch->mixed ? launch->vector_per_block : 1; }
int64_t task_ratio() { return launch->mixed ? launch->vector_per_block : 1; }
bool on_cube_core() { return self->cube; }
int64_t program_counter() { return static_cast<int64_t>(so_offset(__builtin_return_address(0))); }
// Cycles cannot be told while the program runs ahead of the timeline; instructions so far grow as steadily.
int64_t system_cycle() { return static_cast<int64_t>(self->log.records.size()); }

uint8_t *system_workspace() { return self->system_workspace; }
void set_system_workspace(uint8_t *workspace) { self->system_workspace = workspace; }
uint8_t *user_workspace(uint8_t *workspace)
{
    constexpr uint64_t reserved = 16u << 20;
    return workspace ? workspace + reserved : nullptr;
}

} // namespace akgen::twin
