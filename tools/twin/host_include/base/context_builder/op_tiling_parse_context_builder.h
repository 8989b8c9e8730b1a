// A call for the function that prepares an operator's compile info, built by a test.
#ifndef AKGEN_BASE_OP_TILING_PARSE_CONTEXT_BUILDER_H
#define AKGEN_BASE_OP_TILING_PARSE_CONTEXT_BUILDER_H
#include "base/context_builder/op_context_builder_base.h"

namespace gert {

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

} // namespace gert
#endif
