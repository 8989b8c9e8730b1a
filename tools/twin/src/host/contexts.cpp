// What every context shows host code of a node: its inputs, outputs and attributes; see node.h for what lies behind.
#include "exe_graph/runtime/tiling_context.h"
#include "node.h"

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

using akgen::host::at;

size_t RuntimeAttrs::GetAttrNum() const { return node_->attrs.size(); }
const void *RuntimeAttrs::Address(size_t index) const
{
    return index < node_->attrs.size() ? node_->attrs[index]->address() : nullptr;
}

const char *ComputeNodeInfo::GetNodeType() const { return node_->type.c_str(); }
const char *ComputeNodeInfo::GetNodeName() const { return node_->name.c_str(); }
size_t ComputeNodeInfo::GetIrInputsNum() const { return node_->ir_inputs.size(); }
size_t ComputeNodeInfo::GetIrOutputsNum() const { return node_->ir_outputs.size(); }
size_t ComputeNodeInfo::GetInputsNum() const { return node_->inputs.size(); }
size_t ComputeNodeInfo::GetOutputsNum() const { return node_->outputs.size(); }
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
const RuntimeAttrs *ComputeNodeInfo::GetAttrs() const { return &node_->runtime_attrs; }

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
const AnchorInstanceInfo *ExtendedKernelContext::GetIrInputInstanceInfo(size_t ir_index) const
{
    return at(node_->ir_inputs, ir_index);
}
const AnchorInstanceInfo *ExtendedKernelContext::GetIrOutputInstanceInfo(size_t ir_index) const
{
    return at(node_->ir_outputs, ir_index);
}
size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return node_->inputs.size(); }
size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return node_->outputs.size(); }
const ComputeNodeInfo *ExtendedKernelContext::GetComputeNodeInfo() const { return &node_->info; }
const RuntimeAttrs *ExtendedKernelContext::GetAttrs() const { return &node_->runtime_attrs; }
const char *ExtendedKernelContext::GetNodeName() const { return node_->name.c_str(); }
const char *ExtendedKernelContext::GetNodeType() const { return node_->type.c_str(); }
const char *ExtendedKernelContext::GetKernelName() const { return node_->name.c_str(); }
const Tensor *ExtendedKernelContext::Input(size_t index) const { return at(node_->inputs, index); }
const Tensor *ExtendedKernelContext::IrInput(size_t ir_index, size_t relative) const
{
    const AnchorInstanceInfo *info = at(node_->ir_inputs, ir_index);
    const bool present = info != nullptr && relative < info->GetInstanceNum();
    return present ? at(node_->inputs, info->GetInstanceStart() + relative) : nullptr;
}
Tensor *ExtendedKernelContext::Output(size_t index) const { return at(node_->outputs, index); }

} // namespace gert
