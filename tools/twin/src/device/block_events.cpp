// Cores that wait for words in global memory: IBSet and IBWait, blocks in turn, group barriers.
#include "akgen/sync.h"
#include "core.h"
#include "of_core.h"
#include <cstring>
#include <map>

namespace akgen::twin {

void require_all_running(const char *api, const void *pc)
{
    const auto cores = launch->chip_blocks();
    if (launch->blocks > cores) {
        trap("DEADLOCK", api, pc,
             "%s: %u blocks are to meet, and the chip has %u cores; the others start when these have ended.", api,
             launch->blocks, cores);
    }
}

void require_scratch(const char *api, const void *pc, const View &scratch, uint64_t bytes)
{
    if (!scratch.data) {
        trap("WRONG_MEMORY", api, pc, "%s: the scratch tensor has no memory; it was never allocated.", api);
    }
    require_aligned(api, pc, "ubWorkspace", scratch, 32);
    if (scratch.size_bytes && scratch.size_bytes < bytes) {
        trap("TENSOR_RANGE", api, pc, "%s: the scratch tensor has %u bytes; %llu are needed.", api, scratch.size_bytes,
             static_cast<unsigned long long>(bytes));
    }
}

void warn_of_mark(const char *api, const void *pc, const uint8_t *mark)
{
    uint32_t word;
    std::memcpy(&word, mark, sizeof word);
    if (word != 0) {
        warn(
            "UNWRITTEN_DATA", api, pc,
            "%s: this core's mark in the workspace is 0x%x and not 0: clear the workspace first, or others pass early.",
            api, word);
    }
}

namespace {
// Cores of the kind that runs, in all blocks.
uint64_t cores_in_turn()
{
    return static_cast<uint64_t>(launch->blocks) * (launch->mixed && !self->cube ? launch->vector_per_block : 1);
}

uint64_t event_key(const uint8_t *workspace, int32_t block, int32_t event, int64_t stride)
{
    return reinterpret_cast<uint64_t>(workspace) +
           (static_cast<uint64_t>(event) * static_cast<uint64_t>(stride) + static_cast<uint64_t>(block)) * 32;
}

// IBSet and IBWait count in global memory: 32 bytes for each pair of event and core.
uint64_t &event_word(const char *api, const void *pc, uint8_t *workspace, int32_t block, int32_t event, int64_t stride)
{
    self->last_pc = pc;
    const uint64_t cores = cores_in_turn();
    if (block < 0 || static_cast<uint64_t>(block) >= cores || event < 0) {
        trap("EVENT_ID", api, pc, "%s: core %d, event %d; there are %llu cores, and events begin at 0.", api, block,
             event, static_cast<unsigned long long>(cores));
    }
    const uint64_t slot = static_cast<uint64_t>(event) * static_cast<uint64_t>(stride) + static_cast<uint64_t>(block);
    require_global(api, pc, workspace + slot * 32, 32, true);
    return launch->block_events[{workspace, slot}];
}
} // namespace

// Who waits for a word in global memory looks again.
namespace {
void wake_waiters()
{
    for (const auto &core : launch->cores) {
        if (core->wait.what == Wait::What::block_event) {
            wake(*core);
        }
    }
}
} // namespace

void block_set(uint8_t *workspace, View scratch, int32_t block, int32_t event, bool vector_only)
{
    const void *pc = __builtin_return_address(0);
    require_all_running("IBSet", pc);
    require_scratch("IBSet", pc, scratch, 32);
    const int64_t stride = block_num() * (vector_only ? 1 : 2);
    if (++event_word("IBSet", pc, workspace, block, event, stride) == 1) {
        warn_of_mark("IBSet", pc, workspace + (event * stride + block) * 32);
    }
    const uint64_t key = event_key(workspace, block, event, stride);
    launch->global->release(*self, {key, ++launch->block_sets[key]});
    self->detector.barrier(Pipe::ALL);
    wake_waiters();
}

void block_wait(uint8_t *workspace, View scratch, int32_t block, int32_t event, bool vector_only)
{
    const void *pc = __builtin_return_address(0);
    require_all_running("IBWait", pc);
    require_scratch("IBWait", pc, scratch, 32);
    const int64_t stride = block_num() * (vector_only ? 1 : 2);
    while (event_word("IBWait", pc, workspace, block, event, stride) == 0) {
        wait_here(Wait::What::block_event, event, pc);
    }
    const uint64_t key = event_key(workspace, block, event, stride);
    launch->global->take(*self,
                         {key, launch->block_sets[key] - --event_word("IBWait", pc, workspace, block, event, stride)});
    self->detector.barrier(Pipe::ALL);
}

namespace {
uint64_t order_key(const uint8_t *workspace) { return reinterpret_cast<uint64_t>(workspace) + 1; }
// How often a core has passed the turn on.
uint64_t &turns(const char *api, const void *pc, uint8_t *workspace, const View &scratch)
{
    self->last_pc = pc;
    require_all_running(api, pc);
    require_scratch(api, pc, scratch, cores_in_turn() * 32 + 32);
    require_global(api, pc, workspace, cores_in_turn() * 32, true);
    return launch->block_events[{workspace, ~uint64_t{0}}];
}
} // namespace

void order_begin(uint8_t *workspace, View scratch)
{
    turns("InitDetermineComputeWorkspace", __builtin_return_address(0), workspace, scratch);
}

void order_wait(uint8_t *workspace, View scratch)
{
    static thread_local OfCore<std::map<const uint8_t *, uint64_t>> rounds;
    const void *pc = __builtin_return_address(0);
    const uint64_t mine = (*rounds)[workspace]++ * cores_in_turn() + static_cast<uint64_t>(block_idx());
    while (turns("WaitPreBlock", pc, workspace, scratch) != mine) {
        wait_here(Wait::What::block_event, block_idx(), pc);
    }
    launch->global->acquire(*self, {order_key(workspace), mine});
    self->detector.barrier(Pipe::ALL);
}

void order_notify(uint8_t *workspace, View scratch)
{
    const void *pc = __builtin_return_address(0);
    const uint64_t turn = ++turns("NotifyNextBlock", pc, workspace, scratch);
    launch->global->release(*self, {order_key(workspace), turn});
    self->detector.barrier(Pipe::ALL);
    wake_waiters();
}

namespace {
uint64_t group_key(const uint8_t *workspace) { return reinterpret_cast<uint64_t>(workspace) + 2; }
// How often a core of the group has arrived.
uint64_t &arrivals(const char *api, const void *pc, uint8_t *workspace, uint32_t index)
{
    self->last_pc = pc;
    require_global(api, pc, workspace, 32, true);
    return launch->block_events[{workspace, ~uint64_t{1} - index}];
}
} // namespace

void group_arrive(uint8_t *workspace, uint32_t arrivers, uint32_t index)
{
    const void *pc = __builtin_return_address(0);
    if (index >= arrivers) {
        trap("EVENT_ID", "GroupBarrier", pc, "GroupBarrier::Arrive(%u): the group that arrives has %u cores.", index,
             arrivers);
    }
    const uint64_t round = ++arrivals("GroupBarrier::Arrive", pc, workspace, index);
    launch->global->release(*self, {group_key(workspace), round});
    self->detector.barrier(Pipe::ALL);
    wake_waiters();
}

void group_wait(uint8_t *workspace, uint32_t arrivers, uint32_t index)
{
    static thread_local OfCore<std::map<const uint8_t *, uint64_t>> rounds;
    const void *pc = __builtin_return_address(0);
    const uint64_t round = ++(*rounds)[workspace];
    for (uint32_t i = 0; i < arrivers; ++i) {
        while (arrivals("GroupBarrier::Wait", pc, workspace, i) < round) {
            wait_here(Wait::What::block_event, static_cast<int32_t>(index), pc);
        }
    }
    launch->global->acquire(*self, {group_key(workspace), round});
    self->detector.barrier(Pipe::ALL);
}

} // namespace akgen::twin
