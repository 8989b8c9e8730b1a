#ifndef AKGEN_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H
#define AKGEN_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H
#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

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

} // namespace gert
#endif
