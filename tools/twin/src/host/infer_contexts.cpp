// The contexts in which shapes, ranges of shapes and types are inferred.
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "node.h"

namespace {

const gert::Shape *storage_of(const gert::Tensor *tensor)
{
    return tensor == nullptr ? nullptr : &tensor->GetStorageShape();
}

ge::DataType type_of(const gert::CompileTimeTensorDesc *desc)
{
    return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
}

} // namespace

namespace gert {

using akgen::host::at;

const Shape *InferShapeContext::GetInputShape(size_t index) const { return storage_of(Input(index)); }
const Shape *InferShapeContext::GetOptionalInputShape(size_t ir_index) const
{
    return storage_of(IrInput(ir_index, 0));
}
const Shape *InferShapeContext::GetRequiredInputShape(size_t ir_index) const
{
    return storage_of(IrInput(ir_index, 0));
}
const Shape *InferShapeContext::GetDynamicInputShape(size_t ir_index, size_t relative_index) const
{
    return storage_of(IrInput(ir_index, relative_index));
}
const Tensor *InferShapeContext::GetInputTensor(size_t index) const { return Input(index); }
const Tensor *InferShapeContext::GetOptionalInputTensor(size_t ir_index) const { return IrInput(ir_index, 0); }
const Tensor *InferShapeContext::GetRequiredInputTensor(size_t ir_index) const { return IrInput(ir_index, 0); }
const Tensor *InferShapeContext::GetDynamicInputTensor(size_t ir_index, size_t relative_index) const
{
    return IrInput(ir_index, relative_index);
}
Shape *InferShapeContext::GetOutputShape(size_t index) const
{
    Tensor *tensor = Output(index);
    return tensor == nullptr ? nullptr : &tensor->MutableStorageShape();
}

const Range<Shape> *InferShapeRangeContext::GetInputShapeRange(size_t index) const
{
    return at(node_->input_ranges, index);
}
const Range<Shape> *InferShapeRangeContext::GetOptionalInputShapeRange(size_t ir_index) const
{
    const AnchorInstanceInfo *info = at(node_->ir_inputs, ir_index);
    const bool present = info != nullptr && info->GetInstanceNum() > 0;
    return present ? at(node_->input_ranges, info->GetInstanceStart()) : nullptr;
}
const Tensor *InferShapeRangeContext::GetInputTensor(size_t index) const { return Input(index); }
Range<Shape> *InferShapeRangeContext::GetOutputShapeRange(size_t index) const
{
    return at(node_->output_ranges, index);
}

ge::DataType InferDataTypeContext::GetInputDataType(size_t index) const { return type_of(GetInputDesc(index)); }
ge::DataType InferDataTypeContext::GetOptionalInputDataType(size_t ir_index) const
{
    return type_of(GetOptionalInputDesc(ir_index));
}
ge::DataType InferDataTypeContext::GetRequiredInputDataType(size_t ir_index) const
{
    return type_of(GetRequiredInputDesc(ir_index));
}
ge::DataType InferDataTypeContext::GetDynamicInputDataType(size_t ir_index, size_t relative_index) const
{
    return type_of(GetDynamicInputDesc(ir_index, relative_index));
}
ge::DataType InferDataTypeContext::GetOutputDataType(size_t index) const { return type_of(GetOutputDesc(index)); }
ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t index, ge::DataType type)
{
    gert::CompileTimeTensorDesc *desc = at(node_->output_descs, index);
    if (desc == nullptr) {
        return ge::GRAPH_FAILED;
    }
    desc->SetDataType(type);
    return ge::GRAPH_SUCCESS;
}

} // namespace gert
