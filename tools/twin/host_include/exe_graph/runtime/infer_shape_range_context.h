// What functions that infer shapes and types read and answer.
#ifndef AKGEN_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
#define AKGEN_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tensor.h"

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

class AKGEN_HOST_API InferDataTypeContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;
    ge::DataType GetInputDataType(size_t index) const;
    ge::DataType GetOptionalInputDataType(size_t ir_index) const;
    ge::DataType GetRequiredInputDataType(size_t ir_index) const;
    ge::DataType GetDynamicInputDataType(size_t ir_index, size_t relative_index) const;
    ge::DataType GetOutputDataType(size_t index) const;
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType type);
};

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
