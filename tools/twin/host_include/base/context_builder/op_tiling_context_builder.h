// A call of an operator for its tiling function, built by a test.
#ifndef AKGEN_BASE_OP_TILING_CONTEXT_BUILDER_H
#define AKGEN_BASE_OP_TILING_CONTEXT_BUILDER_H
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

} // namespace gert
#endif
