// Call a host function with a task's arguments, read from a file of lines; its parameters say what they take.
#pragma once
#include "akgen/tensor.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace akgen::launched {

uint8_t *reserve(size_t bytes); // device memory of a tensor; record.cpp
void begin_record(const char *file);
void begin_next_call(); // what follows is done for further arguments, in the same process
void end_record();
[[noreturn]] void refuse(const char *code, const std::string &text);

struct Argument {
    std::string kind, name; // tensor, none, list, bool, int, real, text, ints, reals
    std::vector<Tensor> tensors;
    std::vector<double> reals;
    std::vector<int64_t> ints;
    std::string text;
};

template <typename T> struct IsVector : std::false_type {};
template <typename E> struct IsVector<std::vector<E>> : std::true_type {};

template <typename T> [[noreturn]] void unfit(const Argument &given, const char *taken)
{
    refuse("LAUNCH_FUNCTION", "The argument " + given.name + " is of kind `" + given.kind +
                                  "`, and the host function takes " + taken + " there.");
}

template <typename T> T decode(const Argument &given)
{
    if constexpr (std::is_same_v<T, Tensor>) {
        if (given.kind != "tensor" && given.kind != "none") {
            unfit<T>(given, "an akgen::Tensor");
        }
        return given.tensors.empty() ? Tensor{} : given.tensors[0];
    } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
        if (given.kind != "list") {
            unfit<T>(given, "a std::vector<akgen::Tensor>");
        }
        return given.tensors;
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (given.kind != "text" && given.kind != "none") {
            unfit<T>(given, "a std::string");
        }
        return given.text;
    } else if constexpr (IsVector<T>::value) {
        using E = typename T::value_type;
        if (given.kind == "reals") {
            return std::is_floating_point_v<E> ? T(given.reals.begin(), given.reals.end())
                                               : (unfit<T>(given, "a vector of integers"), T());
        }
        if (given.kind != "ints" && given.kind != "none") {
            unfit<T>(given, "a vector of numbers");
        }
        return T(given.ints.begin(), given.ints.end());
    } else if constexpr (std::is_arithmetic_v<T>) {
        if (given.kind == "real") {
            return std::is_floating_point_v<T> ? static_cast<T>(given.reals[0]) : (unfit<T>(given, "an integer"), T());
        }
        if (given.kind != "int" && given.kind != "bool" && given.kind != "none") {
            unfit<T>(given, "a number");
        }
        return given.ints.empty() ? T() : static_cast<T>(given.ints[0]);
    } else {
        unfit<T>(given, "a type that is none of akgen::Tensor, number, std::string and std::vector of them");
    }
}

inline Tensor read_tensor(std::istream &line)
{
    int type = 0;
    size_t bytes = 0, rank = 0;
    line >> type >> bytes >> rank;
    Tensor t;
    t.dtype = static_cast<aclDataType>(type);
    t.shape.resize(rank);
    for (auto &one : t.shape) {
        line >> one;
    }
    t.data = reserve(bytes);
    return t;
}

inline std::vector<Argument> read_arguments(const char *file)
{
    std::vector<Argument> found;
    std::ifstream lines(file);
    for (std::string text; std::getline(lines, text);) {
        std::istringstream line(text);
        Argument a;
        size_t count = 0;
        line >> a.kind >> a.name;
        if (a.kind == "tensor") {
            a.tensors.push_back(read_tensor(line));
        } else if (a.kind == "list") {
            line >> count;
            for (size_t i = 0; i < count; ++i) {
                a.tensors.push_back(read_tensor(line));
            }
        } else if (a.kind == "real" || a.kind == "reals") {
            for (std::string word; line >> word;) {
                a.reals.push_back(std::strtod(word.c_str(), nullptr)); // inf and nan, too
            }
        } else if (a.kind == "int" || a.kind == "bool" || a.kind == "ints") {
            for (int64_t v = 0; line >> v;) {
                a.ints.push_back(v);
            }
        } else if (a.kind == "text") {
            std::getline(line >> std::ws, a.text);
        }
        found.push_back(std::move(a));
    }
    return found;
}

template <typename R, typename... P, size_t... I>
void call(R (*function)(P...), const std::vector<Argument> &given, std::index_sequence<I...>)
{
    using Types = std::tuple<std::decay_t<P>...>;
    function(decode<std::tuple_element_t<I, Types>>(given[I])..., static_cast<aclrtStream>(nullptr));
}

template <typename R, typename... P> int run(R (*function)(P...), int count, char **words)
{
    const int more = count == 4 ? std::atoi(words[3]) : 0; // calls after the first one
    if (count != 3 && more < 1) {
        return 70;
    }
    begin_record(words[2]);
    const auto given = read_arguments(words[1]);
    if (given.size() + 1 != sizeof...(P)) {
        refuse("LAUNCH_FUNCTION", "The host function takes " + std::to_string(sizeof...(P)) +
                                      " arguments, and it is called with " + std::to_string(given.size() + 1) + ".");
    }
    call(function, given, std::make_index_sequence<sizeof...(P) - 1>());
    for (int n = 0; n < more; ++n) {
        begin_next_call();
        call(function, read_arguments(words[1]), std::make_index_sequence<sizeof...(P) - 1>());
    }
    end_record();
    return 0;
}

} // namespace akgen::launched
