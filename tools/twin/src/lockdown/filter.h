// Seccomp filters, assembled by hand: one rule per system call, by its number or by its arguments, and an action.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#if defined(__x86_64__)
#define AKGEN_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define AKGEN_AUDIT_ARCH AUDIT_ARCH_AARCH64
#else
#error "the sandbox is written for x86-64 and AArch64"
#endif

namespace akgen::seccomp {

// What an attempt was about. The number travels in the trap's data to the handler.
enum class Attempt : uint16_t { network = 1, fork, file, signal, inspect, kernel };

constexpr uint32_t pass = SECCOMP_RET_ALLOW;
constexpr uint32_t fail(int error) { return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error); }
constexpr uint32_t trap(Attempt what) { return SECCOMP_RET_TRAP | static_cast<uint32_t>(what); }
constexpr uint32_t kill_process = 0x80000000u; // SECCOMP_RET_KILL_PROCESS

// One question about an argument: half of its 64 bits, some of those bits, a comparison. The kernel takes most arguments
// (descriptors, flags, commands, process ids) by their low half, so that is what decides.
struct Test {
    int argument;
    uint32_t mask;
    uint16_t comparison; // BPF_JEQ or BPF_JGE
    uint32_t value;
    bool holds = true; // what the comparison must say
    bool high = false;
};
using All = std::vector<Test>; // each must hold
using Any = std::vector<All>;  // one must

inline Test is(int argument, uint32_t value) { return {argument, ~0u, BPF_JEQ, value}; }
inline Test bits(int argument, uint32_t mask, uint32_t value) { return {argument, mask, BPF_JEQ, value}; }
inline Test without(int argument, uint32_t mask) { return bits(argument, mask, 0); }
inline Test at_least(int argument, uint32_t value) { return {argument, ~0u, BPF_JGE, value}; }
inline Test below(int argument, uint32_t value) { return {argument, ~0u, BPF_JGE, value, false}; }
inline Any is_one_of(int argument, const std::vector<uint32_t> &values)
{
    Any any;
    for (const uint32_t value : values) {
        any.push_back({is(argument, value)});
    }
    return any;
}
inline All null_pointer(int argument) { return {is(argument, 0), Test{argument, ~0u, BPF_JEQ, 0, true, true}}; }

class Filter {
public:
    // `foreign`: for calls by another machine's numbers, which this process could make too.
    explicit Filter(uint32_t foreign)
    {
        load(offsetof(seccomp_data, arch));
        jump(BPF_JEQ, AKGEN_AUDIT_ARCH, 1, 0);
        end(foreign);
        load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
        jump(BPF_JGE, 0x40000000u, 0, 1); // the x32 calls have other numbers
        end(foreign);
#endif
    }

    Filter &on(std::initializer_list<long> calls, uint32_t action)
    {
        for (const long call : calls) {
            jump(BPF_JEQ, static_cast<uint32_t>(call), 0, 1);
            end(action);
        }
        return *this;
    }

    // `then` if the arguments pass one of these, else `otherwise`. Later rules for the same call have no effect.
    Filter &on(long call, const Any &any, uint32_t then, uint32_t otherwise)
    {
        std::vector<sock_filter> outer;
        outer.swap(code_);
        for (const All &all : any) {
            alternative(all, then);
        }
        end(otherwise);
        outer.swap(code_);
        jump(BPF_JEQ, static_cast<uint32_t>(call), 1, 0);
        code_.push_back(BPF_STMT(BPF_JMP | BPF_JA, static_cast<uint32_t>(outer.size())));
        code_.insert(code_.end(), outer.begin(), outer.end());
        return *this;
    }

    // Put the filter in force with this action for everything else. False if the machine refuses.
    bool install(uint32_t otherwise, bool all_threads)
    {
        end(otherwise);
        sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        const unsigned flags = all_threads ? SECCOMP_FILTER_FLAG_TSYNC : 0;
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
    }

private:
    void alternative(const All &all, uint32_t then)
    {
        std::size_t left = 1; // instructions up to the next alternative
        for (const Test &test : all) {
            left += length(test);
        }
        for (const Test &test : all) {
            left -= length(test);
            load(static_cast<uint32_t>(offsetof(seccomp_data, args) + 8u * static_cast<unsigned>(test.argument) +
                                       (test.high ? 4u : 0u))); // both machines are little-endian
            if (test.mask != ~0u) {
                code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, test.mask));
            }
            const auto away = static_cast<uint8_t>(left);
            jump(test.comparison, test.value, test.holds ? 0 : away, test.holds ? away : 0);
        }
        end(then);
    }
    static std::size_t length(const Test &test) { return test.mask != ~0u ? 3 : 2; }
    void load(std::size_t offset)
    {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
    }
    void jump(uint16_t test, uint32_t value, uint8_t if_true, uint8_t if_false)
    {
        code_.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, if_true, if_false));
    }
    void end(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
    std::vector<sock_filter> code_;
};

} // namespace akgen::seccomp
