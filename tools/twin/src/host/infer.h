// What an operator's shape and type functions say about a call, for graphs that have to know before it runs.
#pragma once
#include "node.h"
#include "registry.h"

namespace akgen::host {

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
