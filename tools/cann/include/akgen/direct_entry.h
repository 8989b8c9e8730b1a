// Calls the host function of a direct file with what a text says, one argument after the other: the worker knows addresses
// and shapes, the function's own head says the types. Built by the vendor's compiler beside the file.
#pragma once
#include "akgen/tensor.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace akgen::direct {

struct Source {
    std::istringstream in;
    aclrtStream stream;
    void expect(const char *kind)
    {
        std::string found;
        in >> found;
        if (found != kind) {
            throw std::invalid_argument("the host function takes " + std::string(kind) + " where the task gives " +
                                        (found.empty() ? "nothing" : found));
        }
    }
    template <typename T> T number()
    {
        T value{};
        in >> value;
        return value;
    }
};

inline Tensor read_tensor(Source &from)
{
    Tensor made;
    made.data = reinterpret_cast<uint8_t *>(from.number<uint64_t>());
    made.dtype = static_cast<aclDataType>(from.number<int>());
    made.shape.resize(from.number<size_t>());
    for (int64_t &dim : made.shape) {
        dim = from.number<int64_t>();
    }
    return made;
}

template <typename T> T read(Source &from)
{
    if constexpr (std::is_same_v<T, Tensor>) {
        from.expect("tensor");
        return read_tensor(from);
    } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
        from.expect("list");
        T made(from.number<size_t>());
        for (Tensor &one : made) {
            one = read_tensor(from);
        }
        return made;
    } else if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<float>>) {
        from.expect(std::is_same_v<T, std::vector<float>> ? "reals" : "ints");
        T made(from.number<size_t>());
        for (auto &one : made) {
            one = from.number<typename T::value_type>();
        }
        return made;
    } else if constexpr (std::is_same_v<T, std::string>) {
        from.expect("text");
        T made(from.number<size_t>(), '\0');
        from.in.get();
        from.in.read(made.data(), static_cast<std::streamsize>(made.size()));
        return made;
    } else if constexpr (std::is_pointer_v<T>) {
        from.expect("stream");
        return static_cast<T>(from.stream);
    } else if constexpr (std::is_same_v<T, bool>) {
        from.expect("bool");
        return from.number<int>() != 0;
    } else {
        from.expect(std::is_floating_point_v<T> ? "real" : "int");
        return from.number<T>();
    }
}

// 0 if the function returned; else what it threw is in `why`.
template <typename... Taken>
int call(void (*function)(Taken...), const char *text, void *stream, char *why, size_t size)
{
    try {
        Source from{std::istringstream(text), static_cast<aclrtStream>(stream)};
        const std::tuple<std::decay_t<Taken>...> arguments{read<std::decay_t<Taken>>(from)...};
        std::apply(function, arguments);
        return 0;
    } catch (const std::exception &error) {
        std::strncpy(why, error.what(), size - 1);
    } catch (...) {
        std::strncpy(why, "the host function threw something that is no exception", size - 1);
    }
    return 1;
}

} // namespace akgen::direct

#define AKGEN_DIRECT_ENTRY(function)                                                                                   \
    extern "C" int akgen_direct_launch(const char *text, void *stream, char *why, unsigned long size)                  \
    {                                                                                                                  \
        return akgen::direct::call(&function, text, stream, why, size);                                                \
    }
