// The launch manifest: what Python wrote, as values. Format: docs/twin.md.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "device/launch.h"
#include <elf.h>
#include <optional>

namespace akgen::twin {

struct TensorItem {
    std::string dtype;
    std::vector<uint64_t> shape;
    std::string file;
    uint64_t size_bytes() const;
};
struct ArgumentLine {
    enum class Kind { in, out, alias, none, list_in, list_out, list_alias } kind = Kind::none;
    std::string name;
    std::vector<TensorItem> items; // one, unless a list; aliases have files only
    size_t alias_of = 0;           // index of an argument
    bool zeroed = false;           // an output that is cleared, not poisoned
};
// An input that the kernel works on in place and that is written out after the run.
struct SaveLine {
    size_t argument = 0;
    std::vector<std::string> files;
};
struct Manifest {
    std::string chip, kernel, symbol, tiling = "-", report, trace = "-";
    uint32_t before_times = 1;                              // how often that is run
    std::string before;                                     // the manifest of a launch to run first; none: empty
    std::string poison_outputs = "-", poison_scratch = "-"; // files: what memory holds before the launch
    uint32_t block_dim = 1;
    uint64_t workspace_bytes = 0;
    bool auto_sync = true;
    bool batch = true;
    bool library_workspace = true;
    bool sealed = false; // the kernel's code was sealed when it was compiled
    bool what_if = false;
    bool last_core_first = false;
    double must_read_bytes = 0, must_write_bytes = 0, must_multiply_cycles = 0; // of the task, whatever the kernel does
    uint64_t cpu_s = 0;
    uint64_t wall_ms = 0;
    std::vector<ArgumentLine> arguments;
    std::vector<SaveLine> saves;

    // Throws std::runtime_error with the line's number.
    static Manifest read(const std::string &path);
};

// A kernel's library as a file: its sections, before anything of it is loaded.
class KernelFile {
public:
    // Raises std::runtime_error if the file is no ELF file.
    explicit KernelFile(const std::string &path);
    std::vector<Elf64_Shdr> sections(const std::string &name) const;
    // Copy from the file; false if it is shorter.
    bool read(uint64_t offset, void *into, uint64_t bytes) const;

private:
    std::vector<char> bytes_;
};

// Which cores a kernel wants: the records that KERNEL_TASK_TYPE leaves in the kernel's file. None: it left no record.
std::optional<TaskType> task_type_of(const KernelFile &file);

} // namespace akgen::twin
