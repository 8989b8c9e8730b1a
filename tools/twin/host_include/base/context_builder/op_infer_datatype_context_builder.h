// A call of an operator for the function that says what comes out, built by a test.
#ifndef AKGEN_BASE_OP_INFER_DATATYPE_CONTEXT_BUILDER_H
#define AKGEN_BASE_OP_INFER_DATATYPE_CONTEXT_BUILDER_H
#include "base/context_builder/op_context_builder_base.h"

namespace gert {

class OpInferDataTypeContextBuilder : public OpContextBuilderBase<OpInferDataTypeContextBuilder> {
public:
    OpInferDataTypeContextBuilder &InputTensors(const std::vector<gert::Tensor *> &inputs_) { return inputs(inputs_); }
    OpInferDataTypeContextBuilder &InputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                                   ge::Format storage_format, const gert::ExpandDimsType & = {})
    {
        draft_.input(index, Tensor({}, {origin_format, storage_format}, dtype));
        return *this;
    }
    OpInferDataTypeContextBuilder &OutputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                                    ge::Format storage_format, const gert::ExpandDimsType & = {})
    {
        draft_.output(index, Tensor({}, {origin_format, storage_format}, dtype));
        return *this;
    }
    OpInferDataTypeContextBuilder &OutputTensorDesc(size_t index, ge::Format origin_format, ge::Format storage_format,
                                                    const gert::ExpandDimsType & = {})
    {
        return OutputTensorDesc(index, ge::DT_UNDEFINED, origin_format, storage_format);
    }
    ContextHolder<InferDataTypeContext> Build() { return draft_.infer_data_type(); }
};

} // namespace gert
#endif
