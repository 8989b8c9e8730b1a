#include "describe.h"

#include "node.h"

namespace akgen::host {

Registry &registry()
{
    static Registry instance;
    return instance;
}

TilingFunction tiling_of(const std::string &op_type)
{
    const auto impl = registry().impls.find(op_type);
    if (impl != registry().impls.end() && impl->second.tiling != nullptr) {
        return impl->second.tiling;
    }
    for (const auto &[type, make] : registry().ops) {
        if (type == op_type) {
            return make(type.c_str()).core().tiling();
        }
    }
    return nullptr;
}

int register_tiling_class(const char *op_type, const char *class_name, TilingClassMaker maker)
{
    for (const TilingClass &known : registry().tiling_classes) {
        if (known.op_type == op_type && known.class_name == class_name) {
            return 0; // the same header in a second file
        }
    }
    registry().tiling_classes.push_back({op_type, class_name, maker});
    return 0;
}

namespace {
std::vector<std::string> &all_complaints()
{
    static std::vector<std::string> texts;
    return texts;
}
} // namespace

void complain(const std::string &text) { all_complaints().push_back(text); }

const std::vector<std::string> &complaints() { return all_complaints(); }

} // namespace akgen::host

namespace ops {

int OpDefFactory::OpDefRegister(const char *type, Maker maker)
{
    akgen::host::registry().ops.emplace_back(type, maker);
    return 0;
}

} // namespace ops

namespace gert {

using akgen::host::registry;

OpImplRegisterV2::OpImplRegisterV2(const char *op_type) : op_type_(op_type) { registry().impls[op_type_]; }
OpImplRegisterV2 &OpImplRegisterV2::InferShape(InferShapeKernelFunc function)
{
    registry().impls[op_type_].infer_shape = function;
    return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::InferShapeRange(InferShapeRangeKernelFunc) { return *this; }
OpImplRegisterV2 &OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function)
{
    registry().impls[op_type_].infer_data_type = function;
    return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::Tiling(TilingKernelFunc function, size_t)
{
    registry().impls[op_type_].tiling = function;
    return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::Parse(TilingParseFunc function, void *(*make)(), void (*drop)(void *))
{
    auto &impl = registry().impls[op_type_];
    impl.parse = function;
    impl.make_compile_info = make;
    impl.drop_compile_info = drop;
    return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs)
{
    auto &known = registry().impls[op_type_].value_inputs;
    known.insert(known.end(), inputs.begin(), inputs.end());
    return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs)
{
    return InputsDataDependency(inputs);
}
OpImplRegisterV2 &OpImplRegisterV2::OutputShapeDependOnCompute(std::initializer_list<int32_t>) { return *this; }
OpImplRegisterV2 &OpImplRegisterV2::HostInputs(std::initializer_list<int32_t>) { return *this; }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *) { return *this; }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *, int64_t) { return *this; }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *, float) { return *this; }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *, bool) { return *this; }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *, const char *) { return *this; }

} // namespace gert
