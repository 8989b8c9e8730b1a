// Builders of a call of an operator, as a test makes it: for its tiling function, for the one that prepares its compile info,
// and for those that say what comes out.
#ifndef AKGEN_BASE_OP_CONTEXT_BUILDERS_H
#define AKGEN_BASE_OP_CONTEXT_BUILDERS_H
#include "base/context_builder/op_context_builder_base.h"

namespace gert {

class OpTilingContextBuilder : public OpContextBuilderBase<OpTilingContextBuilder> {
public:
    OpTilingContextBuilder() = default;
    ~OpTilingContextBuilder() override = default;
    OpTilingContextBuilder &CompileInfo(const void *compile_info)
    {
        draft_.compile_info(compile_info);
        return *this;
    }
    OpTilingContextBuilder &PlatformInfo(const void *) { return *this; } // the twin's chip
    OpTilingContextBuilder &Deterministic(int32_t deterministic)
    {
        draft_.deterministic(deterministic);
        return *this;
    }
    OpTilingContextBuilder &TilingData(const gert::TilingData *tiling_data, gert::Chain::Deleter = nullptr)
    {
        draft_.tiling_data(const_cast<gert::TilingData *>(tiling_data));
        return *this;
    }
    OpTilingContextBuilder &TilingDataSize(size_t tiling_data_size)
    {
        draft_.tiling_data_size(tiling_data_size);
        return *this;
    }
    OpTilingContextBuilder &Workspace(const gert::ContinuousVector *workspace)
    {
        draft_.workspace(const_cast<gert::ContinuousVector *>(workspace));
        return *this;
    }
    OpTilingContextBuilder &InputTensors(const std::vector<gert::Tensor *> &inputs_) { return inputs(inputs_); }
    OpTilingContextBuilder &OutputTensors(const std::vector<gert::Tensor *> &outputs_) { return outputs(outputs_); }
    ContextHolder<TilingContext> Build() { return draft_.tiling(); }
};

class OpTilingParseContextBuilder : public OpContextBuilderBase<OpTilingParseContextBuilder> {
public:
    OpTilingParseContextBuilder &InputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                                 ge::Format storage_format, const gert::ExpandDimsType & = {})
    {
        draft_.input(index, Tensor({}, {origin_format, storage_format}, dtype));
        return *this;
    }
    OpTilingParseContextBuilder &OutputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                                  ge::Format storage_format, const gert::ExpandDimsType & = {})
    {
        draft_.output(index, Tensor({}, {origin_format, storage_format}, dtype));
        return *this;
    }
    OpTilingParseContextBuilder &CompiledJson(const ge::char_t *) { return *this; }
    OpTilingParseContextBuilder &CompiledInfo(const void *compiled_info)
    {
        compiled_info_ = const_cast<void *>(compiled_info);
        return *this;
    }
    OpTilingParseContextBuilder &PlatformInfo(const void *) { return *this; } // the twin's chip
    ContextHolder<TilingParseContext> Build() { return draft_.tiling_parse(compiled_info_); }

private:
    void *compiled_info_ = nullptr;
};

class OpInferShapeContextBuilder : public OpContextBuilderBase<OpInferShapeContextBuilder> {
public:
    OpInferShapeContextBuilder &InputTensors(const std::vector<gert::Tensor *> &inputs_) { return inputs(inputs_); }
    OpInferShapeContextBuilder &InputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                                ge::Format storage_format, const gert::ExpandDimsType & = {})
    {
        draft_.input(index, Tensor({}, {origin_format, storage_format}, dtype));
        return *this;
    }
    OpInferShapeContextBuilder &OutputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                                 ge::Format storage_format, const gert::ExpandDimsType & = {})
    {
        draft_.output(index, Tensor({}, {origin_format, storage_format}, dtype));
        return *this;
    }
    OpInferShapeContextBuilder &OutputTensorDesc(size_t index, ge::Format origin_format, ge::Format storage_format,
                                                 const gert::ExpandDimsType & = {})
    {
        return OutputTensorDesc(index, ge::DT_UNDEFINED, origin_format, storage_format);
    }
    ContextHolder<InferShapeContext> Build() { return draft_.infer_shape(); }
};

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
