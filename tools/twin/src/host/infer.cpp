#include "describe.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "graph/types.h"
#include "json.h"

namespace akgen::host {

namespace {
std::string dims_of(const gert::Tensor &tensor)
{
    const gert::Shape &shape = tensor.GetStorageShape();
    std::vector<int64_t> dims;
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        dims.push_back(shape.GetDim(i));
    }
    return json_list(dims, [](int64_t d) { return std::to_string(d); });
}

std::string answer(ge::graphStatus status, const std::string &values)
{
    return "{\"status\":" + std::to_string(status) + ",\"values\":" + values + "}";
}
} // namespace

InferFunctions infer_functions_of(const std::string &op_type)
{
    InferFunctions found;
    for (const auto &[type, make] : registry().ops) {
        if (type == op_type) {
            const ops::OpDef op = make(type.c_str());
            found = {op.infer_shape(), op.infer_data_type()};
        }
    }
    const auto impl = registry().impls.find(op_type);
    if (impl != registry().impls.end()) {
        found.shape = impl->second.infer_shape ? impl->second.infer_shape : found.shape;
        found.data_type = impl->second.infer_data_type ? impl->second.infer_data_type : found.data_type;
    }
    return found;
}

std::string infer(const InferFunctions &functions, Node &node)
{
    std::string shapes = "null", types = "null";
    if (functions.shape != nullptr) {
        for (gert::Tensor &output : node.outputs) {
            output.MutableStorageShape() = gert::Shape();
        }
        gert::InferShapeContext context(&node);
        const ge::graphStatus status = functions.shape(&context);
        shapes = answer(status, json_list(node.outputs, dims_of));
    }
    if (functions.data_type != nullptr) {
        for (gert::CompileTimeTensorDesc &output : node.output_descs) {
            output.SetDataType(ge::DT_UNDEFINED);
        }
        gert::InferDataTypeContext context(&node);
        const ge::graphStatus status = functions.data_type(&context);
        types = answer(status, json_list(node.output_descs, [](const gert::CompileTimeTensorDesc &d) {
                           return json_text(ge::TypeUtils::DataTypeToSerialString(d.GetDataType()));
                       }));
    }
    return "{\"shape\":" + shapes + ",\"data_type\":" + types + "}";
}

} // namespace akgen::host
