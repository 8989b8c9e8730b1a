// The contexts that host code reads; see node.h for what lies behind them.
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "node.h"
#include "platform/platform_info.h"

namespace {

template <class V> auto at(V &values, size_t i) -> decltype(&values[0])
{
    return i < values.size() ? &values[i] : nullptr;
}

const gert::StorageShape *shape_of(const gert::Tensor *tensor)
{
    return tensor == nullptr ? nullptr : &tensor->GetShape();
}

const gert::Shape *storage_of(const gert::Tensor *tensor)
{
    return tensor == nullptr ? nullptr : &tensor->GetStorageShape();
}

ge::DataType type_of(const gert::CompileTimeTensorDesc *desc)
{
    return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
}

fe::PlatFormInfos &platform()
{
    static fe::PlatFormInfos infos;
    return infos;
}

} // namespace

namespace akgen::host {

const void *AttrSlot::address() const
{
    if (type.empty()) {
        return nullptr;
    }
    if (type == "int") {
        return &integer;
    }
    if (type == "float") {
        return &real;
    }
    if (type == "bool") {
        return &flag;
    }
    if (type == "str") {
        return text.c_str();
    }
    return type == "list_list_int" ? static_cast<const void *>(&lists) : &list;
}

} // namespace akgen::host

namespace gert {

size_t RuntimeAttrs::GetAttrNum() const
{
    return node_->attrs.size();
}
const void *RuntimeAttrs::Address(size_t index) const
{
    return index < node_->attrs.size() ? node_->attrs[index]->address() : nullptr;
}

const char *ComputeNodeInfo::GetNodeType() const
{
    return node_->type.c_str();
}
const char *ComputeNodeInfo::GetNodeName() const
{
    return node_->name.c_str();
}
size_t ComputeNodeInfo::GetIrInputsNum() const
{
    return node_->ir_inputs.size();
}
size_t ComputeNodeInfo::GetIrOutputsNum() const
{
    return node_->ir_outputs.size();
}
size_t ComputeNodeInfo::GetInputsNum() const
{
    return node_->inputs.size();
}
size_t ComputeNodeInfo::GetOutputsNum() const
{
    return node_->outputs.size();
}
const AnchorInstanceInfo *ComputeNodeInfo::GetInputInstanceInfo(size_t ir_index) const
{
    return at(node_->ir_inputs, ir_index);
}
const AnchorInstanceInfo *ComputeNodeInfo::GetOutputInstanceInfo(size_t ir_index) const
{
    return at(node_->ir_outputs, ir_index);
}
const CompileTimeTensorDesc *ComputeNodeInfo::GetInputTdInfo(size_t index) const
{
    return at(node_->input_descs, index);
}
const CompileTimeTensorDesc *ComputeNodeInfo::GetOutputTdInfo(size_t index) const
{
    return at(node_->output_descs, index);
}
const RuntimeAttrs *ComputeNodeInfo::GetAttrs() const
{
    return &node_->runtime_attrs;
}

const CompileTimeTensorDesc *ExtendedKernelContext::GetInputDesc(size_t index) const
{
    return at(node_->input_descs, index);
}
const CompileTimeTensorDesc *ExtendedKernelContext::GetOptionalInputDesc(size_t ir_index) const
{
    return GetDynamicInputDesc(ir_index, 0);
}
const CompileTimeTensorDesc *ExtendedKernelContext::GetRequiredInputDesc(size_t ir_index) const
{
    return GetDynamicInputDesc(ir_index, 0);
}
const CompileTimeTensorDesc *ExtendedKernelContext::GetDynamicInputDesc(size_t ir_index, size_t relative) const
{
    const AnchorInstanceInfo *info = at(node_->ir_inputs, ir_index);
    const bool present = info != nullptr && relative < info->GetInstanceNum();
    return present ? at(node_->input_descs, info->GetInstanceStart() + relative) : nullptr;
}
const CompileTimeTensorDesc *ExtendedKernelContext::GetOutputDesc(size_t index) const
{
    return at(node_->output_descs, index);
}
const CompileTimeTensorDesc *ExtendedKernelContext::GetRequiredOutputDesc(size_t ir_index) const
{
    return GetDynamicOutputDesc(ir_index, 0);
}
const CompileTimeTensorDesc *ExtendedKernelContext::GetDynamicOutputDesc(size_t ir_index, size_t relative) const
{
    const AnchorInstanceInfo *info = at(node_->ir_outputs, ir_index);
    const bool present = info != nullptr && relative < info->GetInstanceNum();
    return present ? at(node_->output_descs, info->GetInstanceStart() + relative) : nullptr;
}
const AnchorInstanceInfo *ExtendedKernelContext::GetIrInputInstanceInfo(size_t ir_index) const
{
    return at(node_->ir_inputs, ir_index);
}
const AnchorInstanceInfo *ExtendedKernelContext::GetIrOutputInstanceInfo(size_t ir_index) const
{
    return at(node_->ir_outputs, ir_index);
}
size_t ExtendedKernelContext::GetComputeNodeInputNum() const
{
    return node_->inputs.size();
}
size_t ExtendedKernelContext::GetComputeNodeOutputNum() const
{
    return node_->outputs.size();
}
const ComputeNodeInfo *ExtendedKernelContext::GetComputeNodeInfo() const
{
    return &node_->info;
}
const RuntimeAttrs *ExtendedKernelContext::GetAttrs() const
{
    return &node_->runtime_attrs;
}
const char *ExtendedKernelContext::GetNodeName() const
{
    return node_->name.c_str();
}
const char *ExtendedKernelContext::GetNodeType() const
{
    return node_->type.c_str();
}
const char *ExtendedKernelContext::GetKernelName() const
{
    return node_->name.c_str();
}
const Tensor *ExtendedKernelContext::Input(size_t index) const
{
    return at(node_->inputs, index);
}
const Tensor *ExtendedKernelContext::IrInput(size_t ir_index, size_t relative) const
{
    const AnchorInstanceInfo *info = at(node_->ir_inputs, ir_index);
    const bool present = info != nullptr && relative < info->GetInstanceNum();
    return present ? at(node_->inputs, info->GetInstanceStart() + relative) : nullptr;
}
Tensor *ExtendedKernelContext::Output(size_t index) const
{
    return at(node_->outputs, index);
}

const void *TilingContext::GetCompileInfo() const
{
    return node_->compile_info;
}
fe::PlatFormInfos *TilingContext::GetPlatformInfo() const
{
    return &platform();
}
const StorageShape *TilingContext::GetInputShape(size_t index) const
{
    return shape_of(Input(index));
}
const StorageShape *TilingContext::GetOptionalInputShape(size_t ir_index) const
{
    return shape_of(IrInput(ir_index, 0));
}
const StorageShape *TilingContext::GetRequiredInputShape(size_t ir_index) const
{
    return shape_of(IrInput(ir_index, 0));
}
const StorageShape *TilingContext::GetDynamicInputShape(size_t ir_index, size_t relative_index) const
{
    return shape_of(IrInput(ir_index, relative_index));
}
const Tensor *TilingContext::GetInputTensor(size_t index) const
{
    return Input(index);
}
const Tensor *TilingContext::GetOptionalInputTensor(size_t ir_index) const
{
    return IrInput(ir_index, 0);
}
const Tensor *TilingContext::GetRequiredInputTensor(size_t ir_index) const
{
    return IrInput(ir_index, 0);
}
const Tensor *TilingContext::GetDynamicInputTensor(size_t ir_index, size_t relative_index) const
{
    return IrInput(ir_index, relative_index);
}
const StorageShape *TilingContext::GetOutputShape(size_t index) const
{
    return shape_of(Output(index));
}
ge::graphStatus TilingContext::SetTilingKey(uint64_t key)
{
    answer_->tiling_key = key;
    return ge::GRAPH_SUCCESS;
}
uint64_t TilingContext::GetTilingKey() const
{
    return answer_->tiling_key;
}
ge::graphStatus TilingContext::SetBlockDim(uint32_t block_dim)
{
    answer_->block_dim = block_dim;
    answer_->block_dim_set = true;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetBlockDim() const
{
    return answer_->block_dim;
}
ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode)
{
    answer_->schedule_mode = mode;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetScheduleMode() const
{
    return answer_->schedule_mode;
}
ge::graphStatus TilingContext::SetAicpuBlockDim(uint32_t)
{
    return ge::GRAPH_SUCCESS;
}
ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t size_bytes)
{
    answer_->local_memory_bytes = size_bytes;
    return ge::GRAPH_SUCCESS;
}
ge::graphStatus TilingContext::SetDynUBufSize(uint32_t)
{
    return ge::GRAPH_SUCCESS;
}
ge::graphStatus TilingContext::SetNeedAtomic(bool atomic)
{
    answer_->atomic = atomic;
    return ge::GRAPH_SUCCESS;
}
bool TilingContext::NeedAtomic() const
{
    return answer_->atomic;
}
ge::graphStatus TilingContext::SetTilingCond(int32_t condition)
{
    answer_->condition = condition;
    return ge::GRAPH_SUCCESS;
}
int32_t TilingContext::GetTilingCond() const
{
    return answer_->condition;
}
TilingData *TilingContext::GetRawTilingData()
{
    return &answer_->raw;
}
size_t *TilingContext::GetWorkspaceSizes(size_t count)
{
    constexpr size_t kMost = 16;
    if (count > kMost) {
        return nullptr;
    }
    answer_->workspaces.reserve(kMost); // earlier pointers stay valid
    answer_->workspaces.resize(count, 0);
    return answer_->workspaces.data();
}
size_t TilingContext::GetWorkspaceNum() const
{
    return answer_->workspaces.size();
}
int32_t TilingContext::GetDeterministic() const
{
    return node_->deterministic;
}

fe::PlatFormInfos *TilingParseContext::GetPlatformInfo() const
{
    return &platform();
}

const Shape *InferShapeContext::GetInputShape(size_t index) const
{
    return storage_of(Input(index));
}
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
const Tensor *InferShapeContext::GetInputTensor(size_t index) const
{
    return Input(index);
}
const Tensor *InferShapeContext::GetOptionalInputTensor(size_t ir_index) const
{
    return IrInput(ir_index, 0);
}
const Tensor *InferShapeContext::GetRequiredInputTensor(size_t ir_index) const
{
    return IrInput(ir_index, 0);
}
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
const Tensor *InferShapeRangeContext::GetInputTensor(size_t index) const
{
    return Input(index);
}
Range<Shape> *InferShapeRangeContext::GetOutputShapeRange(size_t index) const
{
    return at(node_->output_ranges, index);
}

ge::DataType InferDataTypeContext::GetInputDataType(size_t index) const
{
    return type_of(GetInputDesc(index));
}
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
ge::DataType InferDataTypeContext::GetOutputDataType(size_t index) const
{
    return type_of(GetOutputDesc(index));
}
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
