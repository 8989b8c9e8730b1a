#include "launch.h"
#include "core.h"
#include "guest.h"
#include "pages.h"
#include "simulate.h"
#include "trace.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>

namespace akgen::twin {

namespace {
constexpr uint8_t guard_value = 0xff; // a NaN in every floating-point type, as all that was never written
constexpr uint64_t thread_stack_bytes = 1 << 20;
constexpr uint64_t signal_stack_bytes = 64 << 10;
constexpr size_t most_threads = 256;              // of a launch: more than there are cores on any chip
constexpr uint64_t most_cores_before = 2048;      // of the launches before one, together
constexpr uint64_t stack_guard_bytes = 128 << 10; // wider than any frame, which could step over less
} // namespace

GmMapping::GmMapping(std::string name, uint64_t size_bytes, Poison poison, const Pattern &pattern)
    : name_(std::move(name)), size_(size_bytes), mapped_(round_up(size_bytes + 32, page_bytes))
{
    // A large tensor starts on a large page.
    const uint64_t unit = mapped_ >= large_page_bytes ? large_page_bytes : page_bytes;
    reserved_ = mapped_ + unit + page_bytes;
    void *memory = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::runtime_error("no memory for '" + name_ + "' (" + std::to_string(size_bytes) + " bytes)");
    }
    reserve_ = static_cast<uint8_t *>(memory);
    data_ = reinterpret_cast<uint8_t *>(round_up(reinterpret_cast<uint64_t>(reserve_) + 1, unit));
    mprotect(data_, mapped_, PROT_READ | PROT_WRITE);
    if (poison == Poison::filled_on_touch) {
        fill_lazily(data_, mapped_, pattern);
        std::memset(data_ + size_, guard_value, mapped_ - size_);
        return;
    }
    if (poison == Poison::filled) {
        have_pages(data_, mapped_);
        fill(data_, size_, pattern);
    } else if (poison == Poison::zero) {
        prefer_large_pages(data_, mapped_);
    }
    std::memset(data_ + size_, guard_value, mapped_ - size_);
}

bool GmMapping::show_file(int fd)
{
    const uint64_t whole = round_up(size_, page_bytes);
    const int flags = MAP_PRIVATE | MAP_FIXED | MAP_POPULATE; // populated while it can be read only: nothing is copied
    if (size_ == 0 || mmap(data_, whole, PROT_READ, flags, fd, 0) == MAP_FAILED) {
        return false;
    }
    mprotect(data_, whole, PROT_READ | PROT_WRITE);
    std::memset(data_ + size_, guard_value, whole - size_);
    return true;
}

GmMapping::~GmMapping()
{
    if (reserve_) {
        munmap(reserve_, reserved_);
    }
}

uint64_t GmMapping::changed_guard_bytes() const
{
    uint64_t changed = 0;
    for (uint64_t at = round_up(size_, 32); at < mapped_; ++at) {
        changed += data_[at] != guard_value;
    }
    return changed;
}

namespace {
// Kernels take pointers only, so that one call with many serves them all: what a kernel does not take, it ignores.
constexpr size_t most_arguments = 1024; // a network's weights are arguments too
template <size_t... i> void call(void *entry, uint8_t *const *a, std::index_sequence<i...>)
{
    using Pointer = uint8_t *;
    reinterpret_cast<void (*)(decltype((void)i, Pointer())...)>(entry)(a[i]...);
}

struct Program {
    void *entry;
    uint8_t *arguments[most_arguments];
    size_t count;
    void (*body)(void *);
    void *body_data;
};
void run_program(void *argument)
{
    const auto *program = static_cast<const Program *>(argument);
    if (program->body) {
        program->body(program->body_data);
    } else if (launch->guest) {
        const GuestImage &image = *launch->guest;
        auto *const variables = static_cast<uint8_t *>(__builtin_thread_pointer()) + image.of_core;
        std::vector<uint8_t> &first = self->worker->first_variables;
        if (first.empty()) {
            first.assign(variables, variables + image.of_core_bytes);
        }
        const std::vector<uint8_t> &now = self->thread_variables.empty() ? first : self->thread_variables;
        std::copy(now.begin(), now.end(), variables);
        enter_guest(*self, program->entry, program->arguments, program->count);
        self->log.end();
        self->thread_variables.assign(variables, variables + image.of_core_bytes);
    } else {
        call(program->entry, program->arguments, std::make_index_sequence<most_arguments>());
    }
}

struct Start {
    Launch *own; // `launch` may be one before
    Worker *worker;
    Program *program, *cube_program;
    uint8_t *signal_stack;
};
void *thread_main(void *argument)
{
    auto *start = static_cast<Start *>(argument);
    stack_t stack = {};
    stack.ss_sp = start->signal_stack;
    stack.ss_size = signal_stack_bytes;
    sigaltstack(&stack, nullptr);
    run_cores(*start->own, *start->worker, run_program, start->program, start->cube_program);
    return nullptr;
}

uint64_t serials = 0; // of cores, in all launches

void make_cores(Launch &l, const LaunchRequest &request)
{
    const size_t of_block = request.task.cube + request.task.vector_per_block, cores = request.block_dim * of_block;
    const auto add = [&](bool cube, uint32_t block, uint32_t sub, const std::string &name) {
        auto core = std::make_unique<Core>();
        core->index = static_cast<uint32_t>(l.cores.size());
        core->serial = ++serials;
        core->cube = cube;
        core->block = block;
        core->sub_block = sub;
        core->name = name;
        core->system_workspace = request.system_workspace;
        core->data_cache.shape(*l.chip);
        if (request.trace_fd >= 0) {
            core->log.most_held = std::max<size_t>(64, trace_share(most_trace_held, block == 0, of_block, cores));
        }
        l.cores.push_back(std::move(core));
    };
    for (uint32_t block = 0; block < request.block_dim; ++block) {
        if (request.task.cube) {
            add(true, block, 0, "aic" + std::to_string(block));
        }
        for (uint32_t sub = 0; sub < request.task.vector_per_block; ++sub) {
            const uint32_t number = block * request.task.vector_per_block + sub;
            add(false, block, sub, "aiv" + std::to_string(number));
        }
    }
}

// A launch, its cores and their threads, which wait to be called: those of a second launch are there before the first runs.
class Prepared {
public:
    explicit Prepared(const LaunchRequest &request);
    void start_threads();
    void run();
    void give_up(); // without running

    Launch l;

private:
    void join();

    Program program_, cube_program_;
    std::vector<Start> starts_;
    std::unique_ptr<uint8_t[]> signal_stacks_;
    std::vector<pthread_t> threads_;
};

void Prepared::start_threads()
{
    starts_.resize(l.workers.size());
    signal_stacks_.reset(new uint8_t[l.workers.size() * signal_stack_bytes]);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, thread_stack_bytes + stack_guard_bytes); // the guard is part of it
    pthread_attr_setguardsize(&attributes, stack_guard_bytes);
    for (size_t i = 0; i < l.workers.size(); ++i) {
        starts_[i] = {&l, l.workers[i].get(), &program_, &cube_program_, &signal_stacks_[i * signal_stack_bytes]};
        pthread_t thread = {};
        if (pthread_create(&thread, &attributes, thread_main, &starts_[i]) != 0) {
            give_up();                                           // those that wait hold on to it
            throw std::runtime_error("no thread for the cores"); // ends the process
        }
        threads_.push_back(thread);
    }
    pthread_attr_destroy(&attributes);
}

void Prepared::run()
{
    launch = &l;
    {
        const std::lock_guard lock(l.baton);
        hand_to(l.last_core_first ? *l.cores.back() : *l.cores.front());
    }
    join();
    l.running = nullptr;
}

void Prepared::give_up()
{
    launch = &l;
    {
        const std::lock_guard lock(l.baton);
        l.ended = true;
        release_all();
    }
    join();
}

void Prepared::join()
{
    for (const pthread_t thread : threads_) {
        pthread_join(thread, nullptr);
    }
    for (const auto &arenas : l.spare_arenas) {
        for (const Launch::Arena &arena : arenas) {
            munmap(arena.begin, arena.bytes);
        }
    }
}

void check_guards(const LaunchRequest &request)
{
    for (const GmMapping *memory : request.memory) {
        if (const uint64_t changed = memory->changed_guard_bytes()) {
            request.report->add({"GM_OVERRUN", "pointer access",
                                 std::to_string(changed) + " bytes behind the end of '" + memory->name() + "' (" +
                                     std::to_string(memory->size_bytes()) + " bytes) were overwritten.",
                                 "error", "", 0, 1});
        }
    }
}
Prepared::Prepared(const LaunchRequest &request)
{
    launch = &l;
    l.chip = request.chip;
    l.report = request.report;
    l.blocks = request.block_dim;
    l.mixed = request.task.cube && request.task.vector_per_block > 0;
    l.vector_per_block = request.task.vector_per_block;
    l.flags_between_cores = request.task.flags_between_cores;
    l.barriers = request.task.barriers;
    l.auto_sync = request.auto_sync;
    l.batch = request.batch;
    l.library_workspace = request.library_workspace;
    l.last_core_first = request.last_core_first;
    l.must_read_bytes = request.must_read_bytes;
    l.must_write_bytes = request.must_write_bytes;
    l.must_multiply_cycles = request.must_multiply_cycles;
    l.guest = request.guest;
    l.scratch = request.scratch.empty() ? Pattern{0xfe, 0xff} : request.scratch;
    l.kernel_base = request.kernel_base;
    l.kernel_end = request.kernel_end;
    uint64_t device_address = 0;
    constexpr uint64_t allocated_bytes = 512; // in units of these
    for (const GmMapping *memory : request.memory) {
        l.buffers.push_back({memory->name(), memory->data(), memory->size_bytes(), round_up(memory->size_bytes(), 32),
                             memory->mapped_bytes(), device_address, memory->read_only(), false});
        device_address += round_up(memory->mapped_bytes(), allocated_bytes);
    }
    if (const GuestImage *image = request.guest; image && image->write_end > image->write_begin) {
        const uint64_t bytes = image->write_end - image->write_begin; // global memory on the chip, as tensors are
        l.buffers.push_back({"the kernel's variables", reinterpret_cast<uint8_t *>(image->write_begin), bytes, bytes,
                             round_up(bytes, 32), device_address, false, true});
    }
    std::sort(l.buffers.begin(), l.buffers.end(), [](const GmBuffer &a, const GmBuffer &b) { return a.data < b.data; });
    make_cores(l, request);
    for (size_t n = 0; n < std::min(l.cores.size(), most_threads); ++n) {
        l.workers.push_back(std::make_unique<Worker>());
        l.idle.push_back(l.workers.back().get());
    }
    l.global = std::make_unique<GlobalRaceDetector>(l.buffers, l.cores.size());
    l.written_lines = l.cores.size() > 1 ? std::make_unique<WrittenLines>(l.cores.size()) : nullptr;
    l.footprint = std::make_unique<Footprint>(l.buffers, l.cores.size());
    l.bank_distance = static_cast<uint32_t>(request.chip->at("vec_read_to_write_cycles"));

    program_ = {request.entry, {}, request.arguments.size(), request.body, request.body_data};
    if (request.arguments.size() > most_arguments) {
        throw std::runtime_error("a kernel takes at most " + std::to_string(most_arguments) + " arguments here");
    }
    std::copy(request.arguments.begin(), request.arguments.end(), program_.arguments);
    cube_program_ = program_;
    cube_program_.entry = request.cube_entry ? request.cube_entry : request.entry;
}
} // namespace

bool run_launch(const LaunchRequest &request, const LaunchRequest *before, uint32_t times)
{
    std::vector<std::unique_ptr<Prepared>> all; // the one that counts is the last
    if (before) {
        const uint64_t cores = uint64_t{before->block_dim} * (before->task.cube + before->task.vector_per_block);
        times = static_cast<uint32_t>(std::min<uint64_t>(times, std::max<uint64_t>(1, most_cores_before / cores)));
    }
    for (uint32_t n = 0; before && n < times; ++n) {
        all.push_back(std::make_unique<Prepared>(*before));
    }
    all.push_back(std::make_unique<Prepared>(request));
    catch_faults();
    for (const auto &one : all) {
        one->start_threads();
    }
    if (request.threads_started) {
        request.threads_started();
    }
    for (size_t n = 0; n + 1 < all.size(); ++n) {
        Launch &now = all[n]->l, &next = all[n + 1]->l;
        all[n]->run();
        if (now.ended) {
            before->report->write_diagnostics();
            for (size_t rest = n + 1; rest < all.size(); ++rest) {
                all[rest]->give_up();
            }
            launch = nullptr;
            return false;
        }
        for (size_t i = 0; i < now.cores.size() && i < next.cores.size(); ++i) {
            next.cores[i]->thread_variables = now.cores[i]->thread_variables;
        }
        all[n] = nullptr;
    }
    Prepared &last = *all.back();
    last.run();

    check_guards(request);
    request.report->write_diagnostics();
    if (!last.l.ended) {
        request.report->line(timeline_report(last.l, request.trace_fd, request.what_if));
    }
    launch = nullptr;
    const bool ended = last.l.ended;
    if (request.ends_the_process) {
        (void)all.back().release();
    }
    return !ended;
}

} // namespace akgen::twin
