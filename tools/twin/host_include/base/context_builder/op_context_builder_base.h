// What keeps a context that a builder made, and what every builder is told: the operator, its parameters and its attributes.
#ifndef AKGEN_BASE_OP_CONTEXT_BUILDER_BASE_H
#define AKGEN_BASE_OP_CONTEXT_BUILDER_BASE_H
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"

namespace gert {

template <typename ContextTypeT> class ContextHolder {
public:
    ContextHolder() = default;
    ContextHolder(std::shared_ptr<void> kept, ContextTypeT *context) : kept_(std::move(kept)), context_(context) {}
    ContextTypeT *GetContext() { return context_; }

private:
    std::shared_ptr<void> kept_;
    ContextTypeT *context_ = nullptr;
};

// The only way that the framework frees what a test hands over.
class Chain {
public:
    using Deleter = void (*)(void *);
};

} // namespace gert

namespace akgen::host {

// One call of an operator under construction. Parameters of the OpDef hold one tensor each until instances() says else.
class AKGEN_HOST_API CallDraft {
public:
    CallDraft();
    std::string type, name;
    void io_num(size_t inputs, size_t outputs);
    void instances(const std::vector<uint32_t> &inputs, const std::vector<uint32_t> &outputs);
    void input(size_t index, const gert::Tensor &tensor);
    void output(size_t index, const gert::Tensor &tensor);
    void attr(int64_t value);
    void attr(bool value);
    void attr(float value);
    void attr(const std::string &value);
    void attr(const std::vector<int64_t> &value);
    void attr(const std::vector<bool> &value);
    void attr(const std::vector<float> &value);
    void attr(const std::vector<std::vector<int64_t>> &value);
    void compile_info(const void *info);
    void deterministic(int32_t level);
    void tiling_data(gert::TilingData *data);
    void tiling_data_size(size_t bytes);
    void workspace(gert::ContinuousVector *sizes);
    // Keep the data of an input for as long as the call; an empty path reads nothing.
    void input_file(size_t index, const std::string &path);

    gert::ContextHolder<gert::TilingContext> tiling();
    gert::ContextHolder<gert::TilingParseContext> tiling_parse(void *compiled_info);
    gert::ContextHolder<gert::InferShapeContext> infer_shape();
    gert::ContextHolder<gert::InferDataTypeContext> infer_data_type();

private:
    struct Whole;
    void finish();
    std::shared_ptr<Whole> whole_;
};

} // namespace akgen::host

namespace gert {

template <typename T> class OpContextBuilderBase {
public:
    virtual ~OpContextBuilderBase() = default;
    T &OpType(const ge::AscendString &op_type)
    {
        draft_.type = op_type.GetString();
        return self();
    }
    T &OpName(const ge::AscendString &op_name)
    {
        draft_.name = op_name.GetString();
        return self();
    }
    T &IONum(size_t input_num, size_t output_num)
    {
        draft_.io_num(input_num, output_num);
        return self();
    }
    T &IOInstanceNum(const std::vector<uint32_t> &inputs, const std::vector<uint32_t> &outputs)
    {
        draft_.instances(inputs, outputs);
        return self();
    }
    T &AppendAttr(bool value) { return attr(value); }
    T &AppendAttr(int64_t value) { return attr(value); }
    T &AppendAttr(float value) { return attr(value); }
    T &AppendAttr(const ge::AscendString &value) { return attr(std::string(value.GetString())); }
    T &AppendAttr(const std::vector<bool> &value) { return attr(value); }
    T &AppendAttr(const std::vector<int64_t> &value) { return attr(value); }
    T &AppendAttr(const std::vector<float> &value) { return attr(value); }
    T &AppendAttr(const std::vector<std::vector<int64_t>> &value) { return attr(value); }

protected:
    template <typename V> T &attr(const V &value)
    {
        draft_.attr(value);
        return self();
    }
    T &inputs(const std::vector<Tensor *> &tensors)
    {
        for (size_t i = 0; i < tensors.size(); ++i) {
            draft_.input(i, *tensors[i]);
        }
        return self();
    }
    T &outputs(const std::vector<Tensor *> &tensors)
    {
        for (size_t i = 0; i < tensors.size(); ++i) {
            draft_.output(i, *tensors[i]);
        }
        return self();
    }
    T &self() { return static_cast<T &>(*this); }
    akgen::host::CallDraft draft_;
};

} // namespace gert

#endif
