// What the host library of an operator registered while it was loaded, and what it says of itself, as JSON: OpDefs and
// tiling structs, template arguments, shapes and types.
#pragma once
#include <string>

#include "register/op_def.h"
#include "register/op_def_registry.h"
#include "ascendc/host_api/tiling/template_argument.h"
#include "node.h"

namespace akgen::host {

struct TilingClass {
    std::string op_type; // "AddCustom", or "LayerNormV4_100" for one tiling key
    std::string class_name;
    TilingClassMaker make;
};

struct OpImpl {
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    gert::OpImplRegisterV2::TilingParseFunc parse = nullptr;
    void *(*make_compile_info)() = nullptr;
    void (*drop_compile_info)(void *) = nullptr;
    gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_data_type = nullptr;
    std::vector<int32_t> value_inputs; // InputsDataDependency, TilingInputsDataDependency
};

struct Registry {
    std::vector<std::pair<std::string, ops::OpDefFactory::Maker>> ops;
    std::vector<TilingClass> tiling_classes;
    std::map<std::string, OpImpl> impls;
};

Registry &registry();

using TilingFunction = gert::OpImplRegisterV2::TilingKernelFunc;
// What IMPL_OP_OPTILING registered, else what the OpDef names; nullptr if nothing is registered.
TilingFunction tiling_of(const std::string &op_type);

// `op` as it is for this chip: parameters that its AICore config overrides are taken from there.
std::string describe_op(const ops::OpDef &op, const OpImpl *impl);
std::string describe_tiling_class(const TilingClass &registered);

// Which template arguments a tiling key stands for.
// {"args":[["D_T_X",0],...],"kernel_type":5|null,"tiling_struct":"Name"|null} for the operator's declaration, `null`
// if it has none or the key is none of its own.
std::string template_arguments(const std::string &op_type, uint64_t key);

// [{"key":3,"template":{...}},...]: one pick for each declared combination, at most 16.
std::string template_examples(const std::string &op_type);

// What an operator's shape and type functions say about a call, for graphs that have to know before it runs.
struct InferFunctions {
    gert::OpImplRegisterV2::InferShapeKernelFunc shape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc data_type = nullptr;
};
// What IMPL_OP_INFERSHAPE registered, else what the OpDef names.
InferFunctions infer_functions_of(const std::string &op_type);

// Run them on the call and return {"shape":{"status":0,"values":[[2,3]]},"data_type":{...}}, null for a function that
// is not there. The outputs' shapes and types of the node are overwritten: they start empty, as in a graph.
std::string infer(const InferFunctions &functions, Node &node);

} // namespace akgen::host
