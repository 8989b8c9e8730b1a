// What the host library of an operator registered while it was loaded.
#pragma once
#include "register/op_def_registry.h"

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

} // namespace akgen::host
