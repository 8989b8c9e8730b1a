// On-chip memories of a core: one range of addresses for each, taken when a core starts and given to the next.
#include "chip.h"
#include "core.h"
#include "pages.h"
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>

namespace akgen::twin {

namespace {
} // namespace

// Memories lie one after another with unmapped addresses between, so that a stray pointer faults.
namespace {
uint32_t bytes_of_region(int i)
{
    static const char *const keys[local_spaces] = {"ub_size",  "l1_size", "l0a_size", "l0b_size",
                                                   "l0c_size", "bt_size", "fb_size"};
    return launch->chip->bytes(keys[i]);
}
} // namespace

uint32_t size_of(Space space) { return bytes_of_region(static_cast<int>(space) - static_cast<int>(Space::UB)); }

void take_arena(Core &core)
{
    uint64_t total = page_bytes;
    for (int i = 0; i < local_spaces; ++i) {
        total += round_up(bytes_of_region(i), page_bytes) + overflow_bytes;
    }
    auto &spare = launch->spare_arenas[core.cube];
    const bool used = !spare.empty();
    if (used) {
        core.arena = spare.back().begin;
        spare.pop_back();
    } else {
        void *memory = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::runtime_error("no memory for the on-chip buffers of a core");
        }
        core.arena = static_cast<uint8_t *>(memory);
    }
    core.arena_bytes = total;
    core.matmul = core.tscm = false;
    uint8_t *next = core.arena + page_bytes;
    for (int i = 0; i < local_spaces; ++i) {
        Region &region = core.regions[i];
        region.size_bytes = bytes_of_region(i);
        region.begin = next;
        const uint64_t whole = round_up(region.size_bytes, page_bytes);
        next += whole + overflow_bytes;
        const bool mine = core.cube ? i != 0 : i == 0; // vector cores have the Unified Buffer, cube cores the rest
        const Space space = static_cast<Space>(i + static_cast<int>(Space::UB));
        const bool factors = space == Space::L1 || space == Space::L0A || space == Space::L0B;
        if (mine && used && core.cube && !factors) {
            madvise(region.begin, whole, MADV_DONTNEED); // zeros again
        } else if (mine && !used) {
            mprotect(region.begin, whole, PROT_READ | PROT_WRITE);
            if (i == 0) {
                have_pages(region.begin, whole);
            }
        }
        if (mine) {
            core.detector.watch(i, region.size_bytes, launch->spare_numbers);
        }
        // What nobody wrote is anything. Of factors it is a number in every type: its product with a zero, which fills
        // the other matrix up, is zero.
        if (mine && (space == Space::UB || space == Space::L0C)) {
            fill(region.begin, region.size_bytes, launch->scratch);
        } else if (mine && factors) {
            std::memset(region.begin, 0x3c, region.size_bytes);
        }
    }
}

void give_arena(Core &core)
{
    if (core.arena) {
        launch->spare_arenas[core.cube].push_back({core.arena, core.arena_bytes});
        core.arena = nullptr;
        core.detector.end();
    }
}

Space space_of_position(uint8_t position)
{
    // GM A1 A2 B1 B2 C1 C2 CO1 CO2 VECIN VECOUT VECCALC SPM TSCM C2PIPE2GM C2PIPE2LOCAL
    static const Space spaces[] = {Space::GM, Space::L1,  Space::L0A, Space::L1, Space::L0B, Space::L1,
                                   Space::BT, Space::L0C, Space::GM,  Space::UB, Space::UB,  Space::UB,
                                   Space::L1, Space::L1,  Space::FB,  Space::FB};
    return position < sizeof spaces / sizeof spaces[0] ? spaces[position] : Space::NONE;
}

Region &region_of(Space space) { return self->regions[static_cast<int>(space) - static_cast<int>(Space::UB)]; }

// What a vector core keeps in the L1 of its block's cube core has its addresses here, and memory from its first use on.
void open_tscm(const char *api, const void *pc)
{
    if (self->cube || self->tscm) {
        return;
    }
    uint64_t taken = region_of(Space::L1).taken_bytes;
    for (const auto &core : launch->cores) {
        taken += core->tscm && core->block == self->block
                     ? core->regions[static_cast<int>(Space::L1) - static_cast<int>(Space::UB)].taken_bytes
                     : 0;
    }
    Region &region = region_of(Space::L1);
    if (!self->matmul) {
        trap("WRONG_MEMORY", api, pc,
             "%s: vector core %s has no access to L1 but for operands of a Matmul object, and has none.", api,
             self->name.c_str());
    }
    if (taken > region.size_bytes) {
        trap("UB_OVERFLOW", api, pc, "%s: the vector cores of block %u take %llu bytes of L1, which has %u.", api,
             self->block, static_cast<unsigned long long>(taken), region.size_bytes);
    }
    const uint64_t whole = round_up(region.size_bytes, page_bytes);
    mprotect(region.begin, whole, PROT_READ | PROT_WRITE);
    madvise(region.begin, whole, MADV_DONTNEED);
    self->detector.watch(static_cast<int>(Space::L1) - static_cast<int>(Space::UB), region.size_bytes,
                         launch->spare_numbers);
    self->tscm = true;
}

} // namespace akgen::twin
