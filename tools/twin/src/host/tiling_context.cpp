// The contexts that tiling functions read and answer into.
#include "exe_graph/runtime/tiling_context.h"
#include "node.h"
#include "platform/platform_info.h"

namespace {

const gert::StorageShape *shape_of(const gert::Tensor *tensor)
{
    return tensor == nullptr ? nullptr : &tensor->GetShape();
}

fe::PlatFormInfos &platform()
{
    static fe::PlatFormInfos infos;
    return infos;
}

} // namespace

namespace gert {

const void *TilingContext::GetCompileInfo() const { return node_->compile_info; }
fe::PlatFormInfos *TilingContext::GetPlatformInfo() const { return &platform(); }
const StorageShape *TilingContext::GetInputShape(size_t index) const { return shape_of(Input(index)); }
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
const Tensor *TilingContext::GetInputTensor(size_t index) const { return Input(index); }
const Tensor *TilingContext::GetOptionalInputTensor(size_t ir_index) const { return IrInput(ir_index, 0); }
const Tensor *TilingContext::GetRequiredInputTensor(size_t ir_index) const { return IrInput(ir_index, 0); }
const Tensor *TilingContext::GetDynamicInputTensor(size_t ir_index, size_t relative_index) const
{
    return IrInput(ir_index, relative_index);
}
const StorageShape *TilingContext::GetOutputShape(size_t index) const { return shape_of(Output(index)); }
ge::graphStatus TilingContext::SetTilingKey(uint64_t key)
{
    answer_->tiling_key = key;
    return ge::GRAPH_SUCCESS;
}
uint64_t TilingContext::GetTilingKey() const { return answer_->tiling_key; }
ge::graphStatus TilingContext::SetBlockDim(uint32_t block_dim)
{
    answer_->block_dim = block_dim;
    answer_->block_dim_set = true;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetBlockDim() const { return answer_->block_dim; }
ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode)
{
    answer_->schedule_mode = mode;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetScheduleMode() const { return answer_->schedule_mode; }
ge::graphStatus TilingContext::SetAicpuBlockDim(uint32_t) { return ge::GRAPH_SUCCESS; }
ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t size_bytes)
{
    answer_->local_memory_bytes = size_bytes;
    return ge::GRAPH_SUCCESS;
}
ge::graphStatus TilingContext::SetDynUBufSize(uint32_t) { return ge::GRAPH_SUCCESS; }
ge::graphStatus TilingContext::SetNeedAtomic(bool atomic)
{
    answer_->atomic = atomic;
    return ge::GRAPH_SUCCESS;
}
bool TilingContext::NeedAtomic() const { return answer_->atomic; }
ge::graphStatus TilingContext::SetTilingCond(int32_t condition)
{
    answer_->condition = condition;
    return ge::GRAPH_SUCCESS;
}
int32_t TilingContext::GetTilingCond() const { return answer_->condition; }
TilingData *TilingContext::GetRawTilingData() { return answer_->given_raw ? answer_->given_raw : &answer_->raw; }
size_t *TilingContext::GetWorkspaceSizes(size_t count)
{
    constexpr size_t most_axes = 16;
    if (count > most_axes) {
        return nullptr;
    }
    if (answer_->given_workspaces != nullptr) {
        const bool fits = answer_->given_workspaces->SetSize(count) == ge::GRAPH_SUCCESS;
        return fits ? static_cast<size_t *>(answer_->given_workspaces->MutableData()) : nullptr;
    }
    answer_->workspaces.reserve(most_axes); // earlier pointers stay valid
    answer_->workspaces.resize(count, 0);
    return answer_->workspaces.data();
}
size_t TilingContext::GetWorkspaceNum() const
{
    return answer_->given_workspaces ? answer_->given_workspaces->GetSize() : answer_->workspaces.size();
}
int32_t TilingContext::GetDeterministic() const { return node_->deterministic; }

fe::PlatFormInfos *TilingParseContext::GetPlatformInfo() const { return &platform(); }

} // namespace gert
