#ifndef AKGEN_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
#define AKGEN_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/range.h"

namespace gert {

class AKGEN_HOST_API InferShapeRangeContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;
    const Range<Shape> *GetInputShapeRange(size_t index) const;
    const Range<Shape> *GetOptionalInputShapeRange(size_t ir_index) const;
    const Tensor *GetInputTensor(size_t index) const;
    Range<Shape> *GetOutputShapeRange(size_t index) const;
};

} // namespace gert
#endif
