// The Python function that serves a binding's launches: f(name, [(kind, value), ...]).
#pragma once
#include "akgen/direct_launch.h"
#include <torch/extension.h>

namespace akgen_binding {

namespace py = pybind11;

inline py::object &listener()
{
    static auto *one = new py::object(py::none()); // Python may be gone when statics end
    return *one;
}

} // namespace akgen_binding

extern "C" __attribute__((visibility("default"), used)) inline void akgen_listen(PyObject *function)
{
    akgen_binding::listener() = pybind11::reinterpret_borrow<pybind11::object>(function);
}

extern "C" bool akgen_npu_find(const void *address, uint8_t **base, size_t *bytes); // npu_device.cpp

namespace akgen::direct {

inline bool find_memory(const void *address, Memory &found)
{
    return akgen_npu_find(address, &found.base, &found.bytes);
}

// A kernel that the binding launches itself.
inline void launch(Request r)
{
    namespace py = pybind11;
    const py::gil_scoped_acquire held;
    TORCH_CHECK(r.wrong.empty(), r.kernel, " is not launched: ", r.wrong);
    TORCH_CHECK(!akgen_binding::listener().is_none(), r.kernel,
                " is launched through a binding that akgen did not load");
    py::list memory;
    for (const Memory &m : r.memory) {
        memory.append(py::make_tuple(reinterpret_cast<uintptr_t>(m.base), m.bytes));
    }
    const py::bytes blob(reinterpret_cast<const char *>(r.blob.data()), r.blob.size());
    py::list given;
    given.append(py::make_tuple("launch", py::make_tuple(r.file, r.blocks, blob, memory)));
    akgen_binding::listener()(r.kernel, given);
}

} // namespace akgen::direct
