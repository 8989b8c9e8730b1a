// Stands in the place of the helper that PyTorch bindings of Ascend operators include. EXEC_NPU_CMD hands
// its arguments, each with its kind, to the Python function that loaded the binding; conversions that a
// binding calls itself give objects that EXEC_NPU_CMD understands and releases. Not covered: more than
// one stream or device.
#pragma once
#include "acl/acl_base.h"
#include "akgen/listener.h"
#include <torch/extension.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

using std::string;

struct aclTensor {
    at::Tensor value;
};
struct aclScalar {
    at::Scalar value;
};
struct aclIntArray {
    std::vector<int64_t> values;
};
struct aclFloatArray {
    std::vector<float> values;
};
struct aclBoolArray {
    std::vector<bool> values;
};
struct aclTensorList {
    std::vector<at::Tensor> values;
};
struct aclScalarList {
    std::vector<at::Scalar> values;
};

namespace akgen_binding {

namespace py = pybind11;

// What conversions made and no EXEC_NPU_CMD has taken yet.
struct Made {
    std::mutex mutex;
    std::map<const void *, std::shared_ptr<void>> objects;
};
inline Made &made()
{
    static auto *all = new Made;
    return *all;
}
template <typename T> T *make(T value)
{
    auto object = std::make_shared<T>(std::move(value));
    const std::lock_guard lock(made().mutex);
    made().objects[object.get()] = object;
    return object.get();
}
template <typename T> void release(const T &argument)
{
    if constexpr (std::is_pointer_v<T>) {
        const std::lock_guard lock(made().mutex);
        made().objects.erase(argument);
    }
}

// -- arguments: (kind, value) --------------------------------------------------------------------------------------

inline py::object number(const at::Scalar &s)
{
    if (s.isBoolean()) {
        return py::bool_(s.toBool());
    }
    if (s.isIntegral(false)) {
        return py::int_(s.toLong());
    }
    if (s.isComplex()) {
        const auto value = s.toComplexDouble();
        return py::cast(std::complex<double>(value.real(), value.imag()));
    }
    return py::float_(s.toDouble());
}
template <typename Values, typename Convert> py::list list_of(const Values &values, Convert convert)
{
    py::list list;
    for (const auto &value : values) {
        list.append(convert(value));
    }
    return list;
}
inline py::tuple given(const char *kind, py::object value) { return py::make_tuple(kind, std::move(value)); }
inline py::tuple absent() { return given("none", py::none()); }
inline py::object tensor_or_none(const at::Tensor &t) { return t.defined() ? py::cast(t) : py::object(py::none()); }

inline py::tuple argument(const at::Tensor &t) { return t.defined() ? given("tensor", py::cast(t)) : absent(); }
inline py::tuple argument(at::TensorList list) { return given("tensors", list_of(list, tensor_or_none)); }
inline py::tuple argument(const at::Scalar &s) { return given("scalar", number(s)); }
inline py::tuple argument(at::ArrayRef<at::Scalar> list) { return given("scalars", list_of(list, number)); }
inline py::tuple argument(at::IntArrayRef list)
{
    return given("ints", list_of(list, [](int64_t v) { return py::int_(v); }));
}
inline py::tuple argument(at::ArrayRef<double> list)
{
    return given("floats", list_of(list, [](double v) { return py::float_(v); }));
}
inline py::tuple argument(at::ArrayRef<float> list)
{
    return given("floats", list_of(list, [](float v) { return py::float_(v); }));
}
inline py::tuple argument(at::ArrayRef<bool> list)
{
    return given("bools", list_of(list, [](bool v) { return py::bool_(v); }));
}
inline py::tuple argument(const std::vector<bool> &list)
{
    return given("bools", list_of(list, [](bool v) { return py::bool_(v); }));
}
template <size_t n> py::tuple argument(const std::array<bool, n> &list)
{
    return argument(at::ArrayRef<bool>(list.data(), n));
}
inline py::tuple argument(const std::string &text) { return given("str", py::str(text)); }
inline py::tuple argument(const char *text) { return given("str", py::str(text)); }
inline py::tuple argument(char *text) { return given("str", py::str(text)); }
inline py::tuple argument(std::nullptr_t) { return absent(); }
inline aclDataType acl_type(at::ScalarType type);
inline py::tuple argument(at::ScalarType type) { return given("int", py::int_(static_cast<int>(acl_type(type)))); }
inline py::tuple argument(aclDataType type) { return given("int", py::int_(static_cast<int>(type))); }
inline py::tuple argument(bool value) { return given("bool", py::bool_(value)); }
template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0> py::tuple argument(T value)
{
    return given("int", py::int_(value));
}
template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> py::tuple argument(T value)
{
    return given("double", py::float_(value));
}
inline py::tuple argument(aclTensor *p) { return p ? argument(p->value) : absent(); }
inline py::tuple argument(aclScalar *p) { return p ? argument(p->value) : absent(); }
inline py::tuple argument(aclIntArray *p) { return p ? argument(at::IntArrayRef(p->values)) : absent(); }
inline py::tuple argument(aclFloatArray *p) { return p ? argument(at::ArrayRef<float>(p->values)) : absent(); }
inline py::tuple argument(aclBoolArray *p) { return p ? argument(p->values) : absent(); }
inline py::tuple argument(aclTensorList *p) { return p ? argument(at::TensorList(p->values)) : absent(); }
inline py::tuple argument(aclScalarList *p) { return p ? argument(at::ArrayRef<at::Scalar>(p->values)) : absent(); }
template <typename T> py::tuple argument(const c10::optional<T> &value)
{
    return value.has_value() ? argument(*value) : absent();
}
inline py::tuple argument(const at::OptionalIntArrayRef &value)
{
    return value.has_value() ? argument(*value) : absent();
}

template <typename... T> void execute(const char *name, const T &...arguments)
{
    const py::gil_scoped_acquire held;
    TORCH_CHECK(!listener().is_none(), name, " is called through a binding that akgen did not load");
    py::list list;
    (list.append(argument(arguments)), ...);
    listener()(name, list);
    (release(arguments), ...);
}

inline aclDataType acl_type(at::ScalarType type)
{
    switch (type) {
    case at::kFloat: return ACL_FLOAT;
    case at::kHalf: return ACL_FLOAT16;
    case at::kBFloat16: return ACL_BF16;
    case at::kDouble: return ACL_DOUBLE;
    case at::kChar: return ACL_INT8;
    case at::kShort: return ACL_INT16;
    case at::kInt: return ACL_INT32;
    case at::kLong: return ACL_INT64;
    case at::kByte: return ACL_UINT8;
    case at::kBool: return ACL_BOOL;
    case at::kComplexFloat: return ACL_COMPLEX64;
    case at::kComplexDouble: return ACL_COMPLEX128;
    default: return ACL_DT_UNDEFINED;
    }
}

} // namespace akgen_binding

inline aclTensor *ConvertType(const at::Tensor &t) { return t.defined() ? akgen_binding::make(aclTensor{t}) : nullptr; }
inline aclScalar *ConvertType(const at::Scalar &s) { return akgen_binding::make(aclScalar{s}); }
inline aclIntArray *ConvertType(const at::IntArrayRef &list) { return akgen_binding::make(aclIntArray{list.vec()}); }
template <size_t n> aclBoolArray *ConvertType(const std::array<bool, n> &list)
{
    return akgen_binding::make(aclBoolArray{{list.begin(), list.end()}});
}
inline aclBoolArray *ConvertType(const at::ArrayRef<bool> &list)
{
    return akgen_binding::make(aclBoolArray{{list.begin(), list.end()}});
}
inline aclTensorList *ConvertType(const at::TensorList &list) { return akgen_binding::make(aclTensorList{list.vec()}); }
inline aclScalarList *ConvertType(const at::ArrayRef<at::Scalar> &list)
{
    return akgen_binding::make(aclScalarList{list.vec()});
}
inline aclDataType ConvertType(at::ScalarType type) { return akgen_binding::acl_type(type); }
template <typename T> auto ConvertType(const c10::optional<T> &value) -> decltype(ConvertType(*value))
{
    return value.has_value() ? ConvertType(*value) : nullptr;
}
inline aclScalar *ConvertTensorToAclScaler(const at::Tensor &tensor) { return ConvertType(tensor.item()); }
inline c10::Scalar ConvertTensorToScalar(const at::Tensor &tensor) { return tensor.item(); }
inline at::Tensor CopyTensorHostToDevice(const at::Tensor &tensor) { return tensor; }
inline at::Tensor CopyScalarToDevice(const c10::Scalar &scalar, at::ScalarType type)
{
    return at::scalar_to_tensor(scalar).to(type);
}

#define EXEC_NPU_CMD(aclnn_api, ...)                                                                                   \
    do {                                                                                                               \
        akgen_binding::execute(#aclnn_api, __VA_ARGS__);                                                               \
    } while (false)
#define EXEC_NPU_CMD_EXT(aclnn_api, ...) EXEC_NPU_CMD(aclnn_api, __VA_ARGS__)
