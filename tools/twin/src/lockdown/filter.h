// Seccomp filters, assembled by hand: one rule per system call, an optional test of an argument, an action.
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

class Filter {
public:
    Filter()
    {
        load(offsetof(seccomp_data, arch));
        jump(BPF_JEQ, AKGEN_AUDIT_ARCH, 1, 0);
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, kill_process));
        load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
        jump(BPF_JGE, 0x40000000u, 0, 1); // the x32 calls have other numbers
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, kill_process));
#endif
    }

    Filter &on(std::initializer_list<long> calls, uint32_t action)
    {
        for (const long call : calls) {
            jump(BPF_JEQ, static_cast<uint32_t>(call), 0, 1);
            code_.push_back(BPF_STMT(BPF_RET | BPF_K, action));
        }
        return *this;
    }

    // `then` if the argument's low word has one of the bits, else `otherwise`.
    Filter &on_bits(long call, int argument, uint32_t bits, uint32_t then, uint32_t otherwise)
    {
        return tested(call, argument, BPF_JSET, bits, then, otherwise);
    }
    // `then` if the argument's low word has this value, else `otherwise`.
    Filter &on_value(long call, int argument, uint32_t value, uint32_t then, uint32_t otherwise)
    {
        return tested(call, argument, BPF_JEQ, value, then, otherwise);
    }
    // As on_value, and other values go on to the rules that follow.
    Filter &on_value(long call, int argument, uint32_t value, uint32_t then)
    {
        jump(BPF_JEQ, static_cast<uint32_t>(call), 0, 4);
        load(low_word(argument));
        jump(BPF_JEQ, value, 0, 1);
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, then));
        load(offsetof(seccomp_data, nr));
        return *this;
    }

    // Put the filter in force with this action for everything else. False if the machine refuses.
    bool install(uint32_t otherwise, bool all_threads)
    {
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, otherwise));
        sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        const unsigned flags = all_threads ? SECCOMP_FILTER_FLAG_TSYNC : 0;
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
    }

private:
    static uint32_t low_word(int argument)
    { // both machines are little-endian
        return static_cast<uint32_t>(offsetof(seccomp_data, args) + sizeof(uint64_t) * static_cast<unsigned>(argument));
    }
    Filter &tested(long call, int argument, uint16_t test, uint32_t value, uint32_t then, uint32_t otherwise)
    {
        jump(BPF_JEQ, static_cast<uint32_t>(call), 0, 4);
        load(low_word(argument));
        jump(test, value, 0, 1);
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, then));
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, otherwise));
        return *this;
    }
    void load(std::size_t offset)
    {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
    }
    void jump(uint16_t test, uint32_t value, uint8_t if_true, uint8_t if_false)
    {
        code_.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, if_true, if_false));
    }
    std::vector<sock_filter> code_;
};

} // namespace akgen::seccomp
