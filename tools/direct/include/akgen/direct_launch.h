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

// One launch. An argument takes whole words of 8 bytes in `blob`: an address as the index of its memory (-1: null) and
// the offset in it, anything else as its bytes.
struct Request {
    std::string kernel; // as C++ names it: `add<float>`
    const char *file = nullptr;
    int line = 0;
    uint32_t blocks = 0;
    void *stream = nullptr;
    std::vector<uint8_t> blob;
    std::vector<Memory> memory;
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

template <typename T> void append_argument(Request &to, const T &value)
{
    if constexpr (!std::is_pointer_v<T>) {
        static_assert(std::is_trivially_copyable_v<T>, "a kernel takes addresses, numbers and plain structures");
        append(to, &value, sizeof value);
        return;
    } else {
        int64_t slot[2] = {-1, 0};
        if (Memory found; value != nullptr && find_memory(value, found)) {
            size_t i = 0;
            while (i < to.memory.size() && to.memory[i].base != found.base) {
                ++i;
            }
            if (i == to.memory.size()) {
                to.memory.push_back(found);
            }
            slot[0] = static_cast<int64_t>(i);
            slot[1] = reinterpret_cast<const uint8_t *>(value) - found.base;
        } else if (value != nullptr) {
            to.wrong = "an address that is passed lies in no device memory";
        }
        append(to, slot, sizeof slot);
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

template <auto kernel> struct Site;
template <typename... P, void (*kernel)(P...)> struct Site<kernel> {
    uint32_t blocks;
    void *stream;
    const char *file;
    int line;
    template <typename Blocks, typename L2>
    static Site at(Blocks blocks, L2, void *stream, const char *file = __builtin_FILE(), int line = __builtin_LINE())
    {
        return {static_cast<uint32_t>(blocks), stream, file, line};
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
        launch(std::move(request));
    }
};

} // namespace akgen::direct
