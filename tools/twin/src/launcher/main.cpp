// akgen_twin_run MANIFEST: run one kernel on simulated cores. Exit status 0 if a report was written, whatever it says;
// 2 for a manifest, file or kernel that cannot be used.
#include "device/guest.h"
#include "device/launch.h"
#include "device/pages.h"
#include "../lockdown.h"
#include "manifest.h"
#include "memory.h"
#include "seal/rules.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <exception>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <memory>
#include <stdexcept>
#include <sys/time.h>
#include <unistd.h>

extern "C" void *__tls_get_addr(uint64_t *index); // the loader's: of a module, and an offset in its block

namespace akgen::twin {
namespace {

int open_new(const std::string &file)
{
    const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
    }
    return fd;
}

struct Loaded {
    const char *file;
    uint64_t base = 0, end = 0;
    uint64_t of_core_module = 0, of_core_bytes = 0; // thread-local variables
    bool of_core_at_distance = false;               // the same in every thread
    uint64_t write_begin = 0, write_end = 0;        // variables; what the loader alone may write lies before
};
int find_kernel(dl_phdr_info *info, size_t, void *data)
{
    auto *loaded = static_cast<Loaded *>(data);
    if (std::strcmp(info->dlpi_name, loaded->file) != 0) {
        return 0;
    }
    loaded->base = info->dlpi_addr;
    uint64_t fixed_end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &segment = info->dlpi_phdr[i];
        const uint64_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
        if (segment.p_type == PT_LOAD) {
            loaded->end = std::max(loaded->end, end);
            if (segment.p_flags & PF_W) {
                loaded->write_begin = begin;
                loaded->write_end = end;
            }
        } else if (segment.p_type == PT_TLS) {
            loaded->of_core_module = info->dlpi_tls_modid;
            loaded->of_core_bytes = segment.p_memsz;
        } else if (segment.p_type == PT_DYNAMIC) {
            for (const auto *entry = reinterpret_cast<const Elf64_Dyn *>(begin); entry->d_tag != DT_NULL; ++entry) {
                loaded->of_core_at_distance |= entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_STATIC_TLS);
            }
        } else if (segment.p_type == PT_GNU_RELRO) {
            fixed_end = (end + page_bytes - 1) / page_bytes * page_bytes;
        }
    }
    // Without such a range there is nothing that says where the variables begin.
    loaded->write_begin =
        fixed_end == 0 ? loaded->write_end : std::min(std::max(loaded->write_begin, fixed_end), loaded->write_end);
    return 1;
}

// Where the library's functions begin: offsets from where each is noted.
std::vector<uint64_t> functions_of(const KernelFile &file, uint64_t base)
{
    std::vector<uint64_t> functions;
    for (const Elf64_Shdr &section : file.sections(seal::function_section)) {
        for (uint64_t at = 0; at + sizeof(int32_t) <= section.sh_size; at += sizeof(int32_t)) {
            int32_t distance = 0;
            if (file.read(section.sh_offset + at, &distance, sizeof distance)) {
                functions.push_back(base + section.sh_addr + at + static_cast<uint64_t>(int64_t{distance}));
            }
        }
    }
    std::sort(functions.begin(), functions.end());
    return functions;
}

// The most memory that this process had, as far as the system says; 0 if it does not.
uint64_t peak_bytes(int status_fd)
{
    char text[4096] = {};
    const ssize_t size = status_fd < 0 ? 0 : pread(status_fd, text, sizeof text - 1, 0);
    const char *line = size > 0 ? std::strstr(text, "VmHWM:") : nullptr;
    return line ? std::strtoull(line + 6, nullptr, 10) * 1024 : 0;
}

void idle() {} // the program of cores that the kernel has none for

void run(const std::string &manifest_file)
{
    const Manifest manifest = Manifest::read(manifest_file);
    const Chip chip = Chip::read(manifest.chip);
    Report report;
    report.fd = open_new(manifest.report);
    const int trace_fd = manifest.trace == "-" ? -1 : open_new(manifest.trace);
    LaunchMemory memory(manifest);
    std::unique_ptr<LaunchMemory> memory_before;
    if (!manifest.before.empty()) {
        memory_before = std::make_unique<LaunchMemory>(Manifest::read(manifest.before), &memory);
    }
    LaunchRequest request;
    const KernelFile file(manifest.kernel);
    const std::optional<TaskType> declared = task_type_of(file);

    const int status_fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    // Before the process is locked down. Zero is no limit.
    itimerval wall = {};
    wall.it_value.tv_sec = static_cast<time_t>(manifest.wall_ms / 1000);
    wall.it_value.tv_usec = static_cast<suseconds_t>(manifest.wall_ms % 1000 * 1000);
    setitimer(ITIMER_REAL, &wall, nullptr);

    Lockdown lockdown;
    lockdown.serve = {manifest.kernel};
    lockdown.report_fd = report.fd;
    lockdown.cpu_s = manifest.cpu_s;
    if (std::getenv("AKGEN_TWIN_OPEN") == nullptr) { // debuggers and sanitizers need an open process
        akgen_lockdown(lockdown);
        request.threads_started = akgen_lockdown_seal;
    }
    report.line("{\"kind\":\"locked\"}"); // whatever ends the process from here on may be the kernel's doing
    void *kernel = dlopen(manifest.kernel.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!kernel) {
        throw std::runtime_error("the kernel cannot be loaded: " + std::string(dlerror()));
    }
    // A kernel compiled for cube cores is called <symbol>_aic. Without a record, what there is says what runs.
    request.entry = dlsym(kernel, manifest.symbol.c_str());
    request.cube_entry = dlsym(kernel, (manifest.symbol + "_aic").c_str());
    const bool vector = request.entry != nullptr, cube = request.cube_entry != nullptr;
    request.task = declared.value_or(TaskType{cube, !vector ? 0u : cube ? 2u : 1u});
    request.entry = vector ? request.entry : reinterpret_cast<void *>(idle);
    request.cube_entry = cube ? request.cube_entry : reinterpret_cast<void *>(idle);
    if (!vector && !cube) {
        throw std::runtime_error("the kernel has no function " + manifest.symbol);
    }
    Loaded loaded{manifest.kernel.c_str()};
    dl_iterate_phdr(find_kernel, &loaded);
    GuestImage image;
    if (manifest.sealed) {
        image = {loaded.base,
                 loaded.end,
                 loaded.write_begin,
                 loaded.write_end,
                 0,
                 loaded.of_core_at_distance ? loaded.of_core_bytes : 0, // others the loader puts anywhere
                 functions_of(file, loaded.base)};
        for (const void *entry : {vector ? request.entry : nullptr, cube ? request.cube_entry : nullptr}) {
            const auto &functions = image.functions;
            if (entry && !std::binary_search(functions.begin(), functions.end(), reinterpret_cast<uint64_t>(entry))) {
                throw std::runtime_error("the kernel's name stands for no function of it");
            }
        }
        if (image.of_core_bytes > 0) {
            uint64_t index[] = {loaded.of_core_module, 0};
            image.of_core =
                static_cast<char *>(__tls_get_addr(index)) - static_cast<char *>(__builtin_thread_pointer());
        }
        request.guest = &image;
    }
    request.chip = &chip;
    request.report = &report;
    request.kernel_base = loaded.base;
    request.kernel_end = loaded.end;
    request.block_dim = manifest.block_dim;
    request.auto_sync = manifest.auto_sync;
    request.batch = manifest.batch;
    request.library_workspace = manifest.library_workspace;
    request.what_if = manifest.what_if;
    request.last_core_first = manifest.last_core_first;
    request.must_read_bytes = manifest.must_read_bytes;
    request.must_write_bytes = manifest.must_write_bytes;
    request.must_multiply_cycles = manifest.must_multiply_cycles;
    request.arguments = memory.arguments;
    request.memory = memory.mappings();
    request.system_workspace = memory.workspace;
    request.scratch = memory.scratch;
    LaunchRequest before = request; // of the same kernel and cores, on other tensors
    Report report_before;
    report_before.fd = report.fd;
    if (memory_before) {
        before.report = &report_before;
        before.arguments = memory_before->arguments;
        before.memory = memory_before->mappings();
    }
    request.trace_fd = trace_fd;
    request.ends_the_process = true;
    if (run_launch(request, memory_before ? &before : nullptr, manifest.before_times)) {
        memory.write_results();
    }
    report.line("{\"kind\":\"end\",\"peak_bytes\":" + std::to_string(peak_bytes(status_fd)) + "}");
}

} // namespace
} // namespace akgen::twin

int main(int argc, char **argv)
{
    // Cores run one at a time, so that they share one arena, which grows in few steps and gives nothing back.
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (argc != 2) {
        std::fputs("usage: akgen_twin_run MANIFEST\n", stderr);
        return 2;
    }
    try {
        akgen::twin::run(argv[1]);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "akgen_twin_run: %s\n", e.what());
        return 2;
    }
    // Loaded kernel code gets no chance to run destructors.
    _exit(0);
}
