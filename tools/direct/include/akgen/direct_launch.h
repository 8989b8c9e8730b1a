// What `kernel<<<blocks, l2, stream>>>(arguments)` becomes in host code: Site<kernel>::at(blocks, l2, stream)(arguments).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace akgen::direct {

struct Memory {
    uint8_t *base = nullptr;
    size_t bytes = 0;
};

// An address within a structure or an integer: where its word lies in the blob, and what it points to.
struct HeldAddress {
    int64_t at, memory, offset;
};

// One launch. An argument takes whole words of 8 bytes in `blob`: an address as the index of its memory (-1: null) and
// the offset in it, anything else as its bytes. After them, if one may hold addresses, follow how many do and which.
struct Request {
    std::string kernel; // as C++ names it: `add<float>`
    const char *file = nullptr;
    int line = 0;
    uint32_t blocks = 0;
    void *stream = nullptr;
    std::vector<uint8_t> blob;
    std::vector<Memory> memory;
    std::vector<HeldAddress> held;
    bool may_hold = false;
    std::string wrong; // why it cannot be launched
};

// Who runs the program defines these two: find the device memory that holds an address, and run a kernel.
bool find_memory(const void *address, Memory &found);
void launch(Request request);

inline void append(Request &to, const void *value, size_t bytes)
{
    const size_t at = to.blob.size();
    to.blob.resize(at + (bytes + 7) / 8 * 8);
    std::memcpy(to.blob.data() + at, value, bytes);
}

inline int64_t memory_index(Request &to, const Memory &memory)
{
    size_t i = 0;
    while (i < to.memory.size() && to.memory[i].base != memory.base) {
        ++i;
    }
    if (i == to.memory.size()) {
        to.memory.push_back(memory);
    }
    return static_cast<int64_t>(i);
}

// Structures and integers of 64 bits; direct_kernel.h says the same.
template <typename T>
constexpr bool may_hold_addresses = !std::is_pointer_v<T> && !std::is_floating_point_v<T> && sizeof(T) >= 8;

template <typename T> void append_argument(Request &to, const T &value)
{
    if constexpr (!std::is_pointer_v<T>) {
        static_assert(std::is_trivially_copyable_v<T>, "a kernel takes addresses, numbers and plain structures");
        const size_t at = to.blob.size();
        append(to, &value, sizeof value);
        if constexpr (may_hold_addresses<T>) {
            to.may_hold = true;
            for (size_t word = 0; word + 8 <= sizeof value; word += 8) {
                const uint8_t *address = nullptr;
                std::memcpy(&address, to.blob.data() + at + word, sizeof address);
                if (Memory found; address != nullptr && find_memory(address, found)) {
                    to.held.push_back({static_cast<int64_t>(at + word), memory_index(to, found), address - found.base});
                }
            }
        }
    } else {
        int64_t slot[2] = {-1, 0};
        if (Memory found; value != nullptr && find_memory(value, found)) {
            slot[0] = memory_index(to, found);
            slot[1] = reinterpret_cast<const uint8_t *>(value) - found.base;
        } else if (value != nullptr) {
            to.wrong = "an address that is passed lies in no device memory";
        }
        append(to, slot, sizeof slot);
    }
}

inline void append_held_addresses(Request &to)
{
    if (to.may_hold) {
        const auto count = static_cast<int64_t>(to.held.size());
        append(to, &count, sizeof count);
        for (const HeldAddress &one : to.held) {
            append(to, &one, sizeof one);
        }
    }
}

template <auto kernel> std::string kernel_name()
{
    const std::string words = __PRETTY_FUNCTION__;
    const size_t from = words.find("kernel = ") + 9;
    std::string name = words.substr(from, words.find_first_of(";]", from) - from);
    const size_t unnamed = name.find("{anonymous}::");
    return unnamed == std::string::npos ? name : name.replace(unnamed, 13, "");
}

// What `<<<>>>` says, where the host's compiler picks the kernel's instance afterwards.
struct Configuration {
    uint32_t blocks;
    void *stream;
    const char *file;
    int line;
};
inline Configuration &configuration()
{
    static thread_local Configuration last = {};
    return last;
}
template <typename Blocks, typename L2>
void configure(Blocks blocks, L2, void *stream = nullptr, const char *file = __builtin_FILE(),
               int line = __builtin_LINE())
{
    configuration() = {static_cast<uint32_t>(blocks), stream, file, line};
}

template <auto kernel> struct Site;
template <typename... P, void (*kernel)(P...)> struct Site<kernel> {
    uint32_t blocks;
    void *stream;
    const char *file;
    int line;
    template <typename Blocks, typename L2>
    static Site at(Blocks blocks, L2, void *stream = nullptr, const char *file = __builtin_FILE(),
                   int line = __builtin_LINE())
    {
        return {static_cast<uint32_t>(blocks), stream, file, line};
    }
    static Site configured()
    {
        const Configuration &last = configuration();
        return {last.blocks, last.stream, last.file, last.line};
    }
    void operator()(P... arguments) const
    {
        Request request;
        request.kernel = kernel_name<kernel>();
        request.file = file;
        request.line = line;
        request.blocks = blocks;
        request.stream = stream;
        (append_argument<P>(request, arguments), ...);
        append_held_addresses(request);
        launch(std::move(request));
    }
};

} // namespace akgen::direct
