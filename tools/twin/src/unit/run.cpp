// ICPU_RUN_KF: a launch in the test's own process. What the checks find goes to standard error, to the file that
// AKGEN_TWIN_REPORT names, and into the exit status.
#include "akgen/unit.h"
#include "device/launch.h"
#include "program.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <mutex>
#include <sys/time.h>
#include <unistd.h>

namespace akgen::twin {

namespace {
constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGXCPU, SIGALRM};
constexpr uint64_t system_workspace_bytes = 16u << 20;

struct State {
    std::mutex mutex;
    UnitMode mode = UnitMode::mixed;
    uint64_t key = 0;
    size_t failed = 0;
    std::string failure;
};
State &state()
{
    static auto *one = new State; // outlives the test's own globals
    return *one;
}

// A test whose kernel failed a check must not end well, whatever its own comparison says.
void end_with_failure()
{
    std::fprintf(stderr, "akgen: %zu kernel run%s failed a check of the twin\n", state().failed,
                 state().failed == 1 ? "" : "s");
    std::fflush(nullptr);
    _exit(1);
}

void failed()
{
    if (state().failed++ == 0) {
        std::atexit(end_with_failure);
    }
}

struct Handlers { // the launch puts its own in their place
    struct sigaction before[std::size(fault_signals)];
    Handlers()
    {
        for (size_t i = 0; i < std::size(fault_signals); ++i) {
            sigaction(fault_signals[i], nullptr, &before[i]);
        }
    }
    ~Handlers()
    {
        for (size_t i = 0; i < std::size(fault_signals); ++i) {
            sigaction(fault_signals[i], &before[i], nullptr);
        }
    }
};

// Ends a launch that takes longer than AKGEN_TWIN_WALL_MS, with its place in the report.
struct Alarm {
    Alarm()
    {
        const char *limit = std::getenv("AKGEN_TWIN_WALL_MS");
        set(limit ? std::strtoull(limit, nullptr, 10) : 0);
    }
    ~Alarm() { set(0); }
    static void set(uint64_t wall_ms)
    {
        itimerval wall = {};
        wall.it_value.tv_sec = static_cast<time_t>(wall_ms / 1000);
        wall.it_value.tv_usec = static_cast<suseconds_t>(wall_ms % 1000 * 1000);
        setitimer(ITIMER_REAL, &wall, nullptr);
    }
};

TaskType task_of(UnitMode mode, bool cube_wanted)
{
    switch (mode) {
    case UnitMode::cube: return {true, 0};
    case UnitMode::vector: return {false, 1};
    default: return {cube_wanted, 2};
    }
}

// Print the findings. Return the first error, empty if there is none.
std::string tell(const UnitCall &call, const UnitProgram &program, const Report &report)
{
    std::vector<uint64_t> offsets;
    for (const Diagnostic &d : report.diagnostics) {
        offsets.push_back(d.so_offset ? d.so_offset - 1 : 0);
    }
    const auto lines = report.diagnostics.empty() ? std::map<uint64_t, std::string>() : lines_of(program, offsets);
    std::string first;
    for (const Diagnostic &d : report.diagnostics) {
        if (d.severity == "note") {
            continue;
        }
        const auto line = lines.find(d.so_offset ? d.so_offset - 1 : 0);
        const std::string place = line == lines.end() || !d.so_offset ? "" : line->second + ": ";
        const std::string times = d.count > 1 ? " (" + std::to_string(d.count) + " times)" : "";
        const std::string text = place + d.severity + ": " + d.text + times + " [" + d.code + ", " + call.kernel +
                                 (d.core.empty() ? "" : " on " + d.core) + "]";
        std::fprintf(stderr, "%s\n", text.c_str());
        if (d.severity == "error" && first.empty()) {
            first = text;
        }
    }
    for (const std::string &message : report.messages) {
        std::printf("%s\n", message.c_str());
    }
    std::fflush(stdout);
    return first;
}

std::string run(const UnitCall &call)
{
    State &s = state();
    const Chip chip = Chip::read(call.chip);
    const UnitProgram program = UnitProgram::holding(reinterpret_cast<const void *>(call.body));
    Report report;
    report.keep = true;
    if (const char *path = std::getenv("AKGEN_TWIN_REPORT")) {
        report.fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    }
    report.line("{\"kind\":\"kernel\",\"name\":" + json_quote(call.kernel) +
                ",\"blocks\":" + std::to_string(call.blocks) + ",\"file\":" + json_quote(call.file) +
                ",\"line\":" + std::to_string(call.line) + "}");
    const GmMapping workspace("the system's workspace", system_workspace_bytes, Poison::none);
    LaunchRequest request;
    request.chip = &chip;
    request.report = &report;
    request.body = call.body;
    request.body_data = call.data;
    request.kernel_base = program.base;
    request.kernel_end = program.end;
    request.task = task_of(s.mode, program.asks_for_cube);
    request.block_dim = call.blocks;
    request.memory = unit_memory();
    request.memory.push_back(&workspace);
    request.system_workspace = workspace.data();
    bool ended = false;
    {
        const Handlers handlers;
        const Alarm alarm;
        ended = run_launch(request);
    }
    const std::string first = tell(call, program, report);
    report.line("{\"kind\":\"end\"}");
    if (report.fd >= 0) {
        close(report.fd);
    }
    return first.empty() && !ended ? std::string(call.kernel) + " did not run to its end" : first;
}
} // namespace

void unit_set_mode(UnitMode mode) { state().mode = mode; }
void unit_set_key(int64_t key) { state().key = static_cast<uint64_t>(key); }
uint64_t unit_key() { return state().key; }

const char *unit_run(const UnitCall &call)
{
    State &s = state();
    const std::lock_guard lock(s.mutex); // launches of several threads take turns
    try {
        if (call.blocks == 0 || call.blocks > 65535) {
            s.failure = std::string("ICPU_RUN_KF(") + call.kernel + "): a launch has 1 to 65535 blocks, not " +
                        std::to_string(call.blocks);
            std::fprintf(stderr, "%s:%d: error: %s\n", call.file, call.line, s.failure.c_str());
        } else {
            s.failure = run(call);
        }
    } catch (const std::exception &e) {
        s.failure = e.what();
        std::fprintf(stderr, "%s:%d: error: %s cannot be run: %s\n", call.file, call.line, call.kernel, e.what());
    }
    if (s.failure.empty()) {
        return nullptr;
    }
    failed();
    return s.failure.c_str();
}

} // namespace akgen::twin
