#ifndef AKGEN_EXE_GRAPH_INFER_SHAPE_CONTEXT_H
#define AKGEN_EXE_GRAPH_INFER_SHAPE_CONTEXT_H
#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class AKGEN_HOST_API InferShapeContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;
    const Shape *GetInputShape(size_t index) const;
    const Shape *GetOptionalInputShape(size_t ir_index) const;
    const Shape *GetRequiredInputShape(size_t ir_index) const;
    const Shape *GetDynamicInputShape(size_t ir_index, size_t relative_index) const;
    const Tensor *GetInputTensor(size_t index) const;
    const Tensor *GetOptionalInputTensor(size_t ir_index) const;
    const Tensor *GetRequiredInputTensor(size_t ir_index) const;
    const Tensor *GetDynamicInputTensor(size_t ir_index, size_t relative_index) const;
    Shape *GetOutputShape(size_t index) const;
};

} // namespace gert
#endif
