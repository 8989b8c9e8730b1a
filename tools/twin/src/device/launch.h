// Launching one kernel: what the launcher, or a CPU unit test, has to give.
#pragma once
#include "chip.h"
#include "report.h"
#include <cstdint>
#include <string>
#include <vector>

#define AKGEN_HOST __attribute__((visibility("default")))

namespace akgen::twin {

enum class Poison : uint8_t { none, filled, zero, filled_on_touch };
using Pattern = std::vector<uint8_t>; // bytes that repeat; none: 0xff, a NaN in every floating-point type

// A range of global memory with an unmapped page before and behind it.
class GmMapping {
public:
    GmMapping() = default;
    AKGEN_HOST GmMapping(std::string name, uint64_t size_bytes, Poison poison, const Pattern &pattern = {});
    AKGEN_HOST ~GmMapping();
    GmMapping(const GmMapping &) = delete;
    // Let the range show a file of at least its size without copying it; what is written stays in this process, and the
    // file must not shrink. False: it cannot be mapped, and the range is as it was.
    AKGEN_HOST bool show_file(int fd);

    uint8_t *data() const { return data_; }
    uint64_t size_bytes() const { return size_; }
    void set_read_only(bool on) { read_only_ = on; } // no instruction may write here
    bool read_only() const { return read_only_; }
    uint64_t mapped_bytes() const { return mapped_; }
    const std::string &name() const { return name_; }
    // Bytes behind the allowed ones that were changed; 0 for none.
    uint64_t changed_guard_bytes() const;

private:
    std::string name_;
    uint8_t *data_ = nullptr;
    bool read_only_ = false;
    uint64_t size_ = 0, mapped_ = 0;
    uint8_t *reserve_ = nullptr; // with the unmapped pages
    uint64_t reserved_ = 0;
};

struct GuestImage; // guest.h

// Which cores of a block run: from KERNEL_TASK_TYPE, see docs/twin.md.
struct TaskType {
    bool cube = false;
    uint32_t vector_per_block = 1;
    bool flags_between_cores = true; // a type that is *_ONLY has none
    bool barriers = true;            // SyncAll by flags: the vendor's samples have it in kernels marked __vector__
};

struct LaunchRequest {
    const Chip *chip = nullptr;
    Report *report = nullptr;
    void *entry = nullptr;          // the kernel: takes pointers only
    void (*body)(void *) = nullptr; // in place of `entry`: what every core runs, with `body_data`
    void *body_data = nullptr;
    void *cube_entry = nullptr; // the kernel as compiled for cube cores; none: `entry` serves them, too
    uint64_t kernel_base = 0, kernel_end = 0;
    TaskType task;
    uint32_t block_dim = 1;
    bool auto_sync = true;
    bool batch = true;                 // the host asked for the batch schedule mode, or there is no host
    bool library_workspace = true;     // the host asked for what APIs of the library keep in global memory
    const GuestImage *guest = nullptr; // the kernel's library, if its code is sealed
    std::vector<uint8_t *> arguments;
    std::vector<const GmMapping *> memory; // everything the kernel may touch
    uint8_t *system_workspace = nullptr;
    Pattern scratch;              // what the Unified Buffer holds at the start; none: NaN
    bool last_core_first = false; // the order in which cores run; a device promises none
    int trace_fd = -1;            // Chrome trace, or none
    bool what_if = false;         // simulate what the kernel would take if it were written otherwise
    // What the task must read and write, its tensors once, and the cube cycles of its products, of all cores together; 0: not known.
    double must_read_bytes = 0, must_write_bytes = 0, must_multiply_cycles = 0;
    bool ends_the_process = false;       // what the launch held is left to the system
    void (*threads_started)() = nullptr; // called when every core has its thread and none has begun
};

// Run the kernel on all its cores, write diagnostics and, unless a check ended the launch, the launch line.
// Returns true if the kernel ran to its end. Another launch can come `before`, of as many cores, as many `times` as are asked for:
// what the kernel's variables and the memory that both have hold then is kept, and nothing is said of it unless a check ends it.
AKGEN_HOST bool run_launch(const LaunchRequest &request, const LaunchRequest *before = nullptr, uint32_t times = 1);

} // namespace akgen::twin
