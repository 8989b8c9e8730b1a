#ifndef AKGEN_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
#define AKGEN_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

class KernelContext {};

// What every context offers. `index` counts tensors that are present (a DYNAMIC parameter takes one position per
// tensor, an absent optional one none); `ir_index` counts the OpDef's parameters.
class AKGEN_HOST_API ExtendedKernelContext : public KernelContext {
public:
    explicit ExtendedKernelContext(akgen::host::Node *node) : node_(node) {}
    const CompileTimeTensorDesc *GetInputDesc(size_t index) const;
    const CompileTimeTensorDesc *GetOptionalInputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc *GetRequiredInputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc *GetDynamicInputDesc(size_t ir_index, size_t relative_index) const;
    const CompileTimeTensorDesc *GetOutputDesc(size_t index) const;
    const CompileTimeTensorDesc *GetRequiredOutputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc *GetDynamicOutputDesc(size_t ir_index, size_t relative_index) const;
    const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t ir_index) const;
    const AnchorInstanceInfo *GetIrOutputInstanceInfo(size_t ir_index) const;
    size_t GetComputeNodeInputNum() const;
    size_t GetComputeNodeOutputNum() const;
    const ComputeNodeInfo *GetComputeNodeInfo() const;
    const RuntimeAttrs *GetAttrs() const;
    const char *GetNodeName() const;
    const char *GetNodeType() const;
    const char *GetKernelName() const;

protected:
    const Tensor *Input(size_t index) const;
    const Tensor *IrInput(size_t ir_index, size_t relative_index) const;
    Tensor *Output(size_t index) const;
    akgen::host::Node *node_;
};

} // namespace gert
#endif
