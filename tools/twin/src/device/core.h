// What one simulated core holds during a launch, and what the cores share. Internal to the runtime.
#pragma once
#include "akgen/copy.h"
#include "akgen/sync.h"
#include "akgen/runtime.h"
#include "chip.h"
#include "data_cache.h"
#include "footprint.h"
#include "global_race_detector.h"
#include "guest.h"
#include "race_detector.h"
#include "record.h"
#include "report.h"
#include "written_lines.h"
#include <condition_variable>
#include <csetjmp>
#include <deque>
#include <mutex>
#include <string>
#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

// Where a core that ends releases its vector clock, by its number: a barrier goes on without it.
constexpr uint64_t ended_key = 0;

constexpr int pipe_count = 7; // S V M MTE1 MTE2 MTE3 FIX
constexpr int event_ids = 8;
constexpr int cross_flags = 11;
const char *pipe_name(Pipe pipe);
const char *space_name(Space space);

// -- memory --------------------------------------------------------------------------------------------------------

constexpr int local_spaces = 7; // UB L1 L0A L0B L0C BT FB, in the order of Space after GM
struct Region {
    uint8_t *begin = nullptr;
    uint32_t size_bytes = 0;
    uint32_t taken_bytes = 0;                         // by InitBuffer
    uint32_t static_bytes = 0;                        // the furthest end of a tensor built by address
    uint32_t most_bytes = 0;                          // ever taken by InitBuffer at a time
    uint32_t single_bytes = 0, most_single_bytes = 0; // in queues of one buffer: now, and ever at a time
    bool holds(const uint8_t *p) const { return p >= begin && p < begin + size_bytes; }
    bool holds_overflow(const uint8_t *p) const; // unmapped addresses behind, for buffers that did not fit
};
constexpr uint64_t overflow_bytes = 2u << 20;
inline bool Region::holds_overflow(const uint8_t *p) const
{
    return p >= begin + size_bytes && p < begin + size_bytes + overflow_bytes;
}

struct GmBuffer {
    std::string name;
    uint8_t *data = nullptr;
    uint64_t size_bytes = 0;    // what the kernel may rely on
    uint64_t allowed_bytes = 0; // rounded up to 32: a block copy may touch the rest
    uint64_t mapped_bytes = 0;
    uint64_t device_address = 0;       // where an allocator of the device would have put it; the same in every run
    bool read_only = false;            // an input, or the tiling data
    bool variables = false;            // the kernel's own: static ones, and those outside of functions
    mutable uint64_t stored_bytes = 0; // that were written here, what was written twice twice
    bool holds(const uint8_t *p) const { return p >= data && p < data + mapped_bytes; }
};

// -- queues --------------------------------------------------------------------------------------------------------

enum class SlotState : uint8_t { free, occupied, enqued, dequed };
struct Event {
    Pipe from = Pipe::S, to = Pipe::S;
    int8_t id = -1;
};
struct Slot {
    uint32_t queue = 0, buffers = 0; // whose it is, and how many that has
    Buffer buffer;
    SlotState state = SlotState::free;
    Event filled, freed;
    const void *pc = nullptr; // of the last change of state
    uint32_t logged = 0;      // its number in the log, for a trace
};
struct Queue {
    uint8_t from = 0, to = 0;
    uint32_t depth = 1;
    uint32_t cursor = 0;
    std::vector<Slot> slots;
    std::vector<uint8_t *> enqued; // buffers, first in first out
    bool live = false;             // false: the pipe was reset since

    uint8_t held() const { return from == 0 || from == 8 ? to : from; } // the on-chip side
};
struct Pool {
    Region region;
    bool live = false;
    bool reset = false; // the next buffer is given from the beginning, and those before are gone
};

// -- cores ---------------------------------------------------------------------------------------------------------

struct Worker;
enum class CoreState : uint8_t { ready, waiting, done };
struct Wait {
    enum class What : uint8_t { none, sync_all, cross_flag, block_event } what = What::none;
    int64_t id = 0;
    const void *pc = nullptr;
};

// An instruction that may overtake a read of what it writes, from `low` on, where `before` lay.
struct Race {
    const char *api;
    const void *pc;
    std::string text;
    const uint8_t *low;
    std::vector<uint8_t> before;
    std::vector<Access> reads; // the copies that it may overtake; empty: not known, it may be all of the bytes
};

struct Core {
    uint32_t index = 0;  // in the launch
    uint64_t serial = 0; // no other core of this process has it; from 1 on
    bool cube = false;
    uint32_t block = 0;
    uint32_t sub_block = 0;
    std::string name; // "aiv0"

    Region regions[local_spaces];
    struct StaticArray { // declared in the kernel's source with the mark of an on-chip memory
        uint32_t place;
        uint8_t position;
        uint64_t bytes;
        uint8_t *data;
    };
    std::vector<StaticArray> arrays;
    bool matmul = false;  // it owns a Matmul object
    uint32_t objects = 0; // that REGIST_MATMUL_OBJ named; two flags between cores belong to each
    bool tscm = false;    // vector core: it keeps operands of Matmul objects in L1
    // Cube core: the buffers of the last product that it made, which the next one goes on with where it has as many.
    struct Products {
        uint32_t buffers_a = 0, buffers_b = 0, parts = 0; // 0: none yet
        uint32_t loads_a = 0, loads_b = 0, turn = 0;
    };
    Products products;
    uint8_t *arena = nullptr;
    uint64_t arena_bytes = 0;
    MaskState mask{false, ~uint64_t{0}, ~uint64_t{0}};
    Atomic atomic = Atomic::none;
    DType atomic_dtype = DType::NONE;
    const void *atomic_pc = nullptr; // where it was switched on
    void *pipe = nullptr;
    uint32_t buffers = 0;      // that InitBuffer gave since the pipe began
    std::vector<Queue> queues; // numbers given to kernels are index + 1
    std::vector<Pool> pools;   // likewise
    uint8_t event_used[pipe_count][pipe_count] = {};
    int32_t events_shared = 0; // ids given to a second owner so far
    // A flag between cores counts how often the whole group of a mode has set it.
    struct CrossFlag {
        struct Group {
            std::vector<uint32_t> sets; // so far, by the core that sets
            uint32_t complete = 0;
        };
        Group groups[3];            // by mode
        std::deque<uint64_t> given; // not yet waited for: which one of which group (cross_round)
    };
    CrossFlag cross[16];
    int64_t sync_rounds[2] = {};  // barriers of all cores, and of vector cores only
    bool sync_of_vectors = false; // the last one was for vector cores only
    int64_t sync_polled = 0;      // the last one was made in memory: cores whose marks it reads until all are there
    RaceDetector detector;
    std::vector<Race> races; // of the last instruction
    Log log;
    DataCache data_cache;
    GuestContext guest;
    std::vector<uint8_t> thread_variables; // of the kernel's, before and after its run; empty: as they begin

    std::map<std::vector<uint8_t>, uint16_t> shape_numbers; // kept ShapeInfo, with index + 1 in `shapes`
    std::vector<const std::vector<uint8_t> *> shapes;
    const GmBuffer *last_buffer = nullptr;
    uint8_t *system_workspace = nullptr; // a register of this core's
    const void *last_pc = nullptr;       // of the last call into the runtime

    CoreState state = CoreState::ready;
    Wait wait;
    sigjmp_buf escape;
    uint32_t looks = 0;       // at what other cores may have written
    Worker *worker = nullptr; // the thread that runs it; none before it starts, and after it ends
    bool turn = false;        // this core holds the baton
    std::condition_variable turned;
};

// A thread that runs cores, one after the other: there are fewer threads than a launch may have blocks.
struct Worker {
    Core *core = nullptr; // that it is to start
    bool served = false;  // it has run a core
    std::condition_variable called;
    std::vector<uint8_t> first_variables; // of the kernel's that each core has for itself, as they begin
};

struct Launch {
    const Chip *chip = nullptr;
    Report *report = nullptr;
    uint32_t blocks = 1;
    uint32_t vector_per_block = 1; // AIV cores per block in a mixed launch
    bool mixed = false;
    bool auto_sync = true;
    bool flags_between_cores = true; // the kernel type has them
    bool barriers = true;            // SyncAll by such flags
    bool batch = true;               // all blocks start together
    bool library_workspace = true;
    bool last_core_first = false;                                               // cores run in descending order
    double must_read_bytes = 0, must_write_bytes = 0, must_multiply_cycles = 0; // of the task; see LaunchRequest
    std::vector<uint8_t> scratch; // what the Unified Buffer holds at the start
    std::vector<GmBuffer> buffers;
    SpareNumbers spare_numbers; // of the cores' shadows
    std::vector<std::unique_ptr<Core>> cores;
    struct Arena {
        uint8_t *begin;
        uint64_t bytes;
    };
    std::vector<Arena> spare_arenas[2]; // of vector cores, of cube cores
    std::mutex baton;
    Core *running = nullptr;
    std::vector<std::unique_ptr<Worker>> workers;
    std::deque<Worker *> idle; // the first one is the next to start a core
    bool over = false;         // every core has ended
    std::unique_ptr<GlobalRaceDetector> global;
    std::unique_ptr<WrittenLines> written_lines; // none: one core, which shares no line
    std::unique_ptr<Footprint> footprint;
    size_t usual_records = 0;                                        // that a core before left
    uint32_t bank_distance = 0;                                      // cycles from a repeat's reads to its writes
    std::map<std::pair<uint8_t *, uint64_t>, uint64_t> block_events; // IBSet counts by workspace and slot
    std::map<uint64_t, uint64_t> block_sets;                         // how often IBSet has set a word, by its address
    const GuestImage *guest = nullptr;                               // none: the kernel's code is not sealed
    bool ended = false;                                              // a trap fired: no further core may run
    uint64_t kernel_base = 0, kernel_end = 0;
    // Blocks that the chip runs at the same time.
    uint32_t chip_blocks() const
    {
        const bool cube = mixed || (!cores.empty() && cores.front()->cube);
        return static_cast<uint32_t>(chip->at(cube ? "core_aic" : "core_aiv"));
    }
};

extern Launch *launch;                                                 // set while a launch runs
extern __attribute__((tls_model("initial-exec"))) __thread Core *self; // no thread_local: that has initialisers to call

// -- within the runtime -----------------------------------------------------------------------------------------------

struct Place {
    Space space = Space::NONE;
    Region *region = nullptr;
    const GmBuffer *buffer = nullptr;
};
Place place_of(const uint8_t *address);
// Check that an on-chip access of `bytes` stays in its tensor's buffer of `limit` bytes (0: unknown). Past the last
// buffer lies memory that nobody has: reaching there is told and goes on.
void require_in_buffer(const char *api, const void *pc, const Region &region, const uint8_t *begin, uint64_t bytes,
                       uint32_t limit, bool write, bool harmless = false);
Space space_of_position(uint8_t position);
Region &region_of(Space space);
void open_tscm(const char *api, const void *pc); // before a vector core uses L1
// Trap unless global memory may be touched at [begin, begin + bytes): behind a tensor's end, the rest of its last block of
// 32 bytes only, where whole blocks are moved. A read in what a device's allocator leaves behind a tensor is warned of.
const GmBuffer &require_global(const char *api, const void *pc, const uint8_t *begin, uint64_t bytes, bool write);
// Enter one access of the scalar unit to global memory, with its hazards and its time.
void access_global(const char *api, const void *pc, const uint8_t *address, uint32_t bytes, bool write, bool cached);
// Copy from global memory; what lies behind the mapping reads as NaN.
void fetch(uint8_t *to, const uint8_t *from, uint64_t bytes);
// Copy to global memory as this core's atomic mode says: the bytes, or their sum, maximum or
// minimum with what is there.
void store(const char *api, const void *pc, uint8_t *dst, const uint8_t *src, uint64_t bytes);
// A core's on-chip memories, as they are when a kernel starts. Memories of cores that have ended serve again, so that
// cores that do not wait for each other need those of one core, and find them in the processor's caches.
uint32_t size_of(Space space); // of an on-chip memory, in bytes
void take_arena(Core &core);
void give_arena(Core &core);
struct Extent {
    const uint8_t *low = nullptr;
    uint64_t bytes = 0;
};
// Report a race that RaceDetector::access found; `written` is what the instruction is about to write, if it writes.
void after_conflict(const RaceDetector::Conflict &conflict, const char *api, const void *pc, const Place &place,
                    Extent written = {});
// Report the races of the instruction before, which has run by now.
void settle_races();
void log_auto_waits(uint32_t pc);
// Keep what the kernel says, as much as the device would.
void say(const std::string &text);
void catch_faults();
// Say what a pointer that reaches no memory of the kernel's is about, and end the launch.
[[noreturn]] void pointer_fault(uint64_t address, const void *pc);
// Tell what is worth knowing and no fault.
void remark(const char *code, const char *api, const void *pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Report an error and go on, for what corrupts the result but not the simulation.
void complain(const char *code, const char *api, const void *pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Give the baton away until `ready` is set again by another core; traps DEADLOCK if nobody can go on.
void wait_here(Wait::What what, int64_t id, const void *pc);
// Let the other cores that can go on run up to where they wait or pause.
void pause_here();
// A core that reads global memory again and again for what others write there lets them go on.
void look_for_others();
void wake(Core &core);
// Trap DEADLOCK where cores wait for all blocks and some of these begin when others end.
void require_all_running(const char *api, const void *pc);
// Check the tensor by which a core moves its marks to and from global memory.
void require_scratch(const char *api, const void *pc, const View &scratch, uint64_t bytes);
// Warn where a core's mark in global memory, which it is about to set, was never cleared.
void warn_of_mark(const char *api, const void *pc, const uint8_t *mark);
int64_t block_idx_of(const Core &core);
// Say whether a core has ended without the mark that a SyncAll in memory reads: who waits there reads for ever.
bool ended_unmarked(const Core &waiting, const Core &core);
// Warn if cores have ended without the SyncAll that others wait in.
void warn_of_ended(const Core &waiting, const char *api, const void *pc);
// Give the baton to a core; one that has not started gets an idle thread.
void hand_to(Core &core);
void release_all(); // every thread looks again at what its launch wants of it
// Body of a thread: run the cores that it is called for until the launch is over.
void run_cores(Launch &own, Worker &worker, void (*program)(void *), void *of_vector, void *of_cube);
[[noreturn]] void leave_core();
uint64_t so_offset(const void *pc);

} // namespace akgen::twin
#pragma GCC visibility pop
