// Contexts that tests build: the call that they show lives as long as the context's holder.
#include "tiling/context/context_builder.h"
#include "describe.h"
#include "node.h"
#include <dlfcn.h>
#include <fstream>
#include <iterator>

namespace akgen::host {

struct CallDraft::Whole {
    Node node;
    Answer answer;
    std::vector<uint32_t> input_counts, output_counts; // tensors of each parameter; empty: one each
    std::unique_ptr<uint8_t[]> own_raw;
    std::unique_ptr<gert::TilingContext> tiling;
    std::unique_ptr<gert::TilingParseContext> parse;
    std::unique_ptr<gert::InferShapeContext> shape;
    std::unique_ptr<gert::InferDataTypeContext> data_type;
};

namespace {

void put(std::vector<gert::Tensor> &tensors, size_t index, const gert::Tensor &tensor)
{
    if (tensors.size() <= index) {
        tensors.resize(index + 1);
    }
    tensors[index] = tensor;
}

std::vector<gert::AnchorInstanceInfo> anchors(const std::vector<uint32_t> &counts, size_t tensors)
{
    std::vector<gert::AnchorInstanceInfo> all;
    size_t start = 0;
    for (size_t i = 0; i < (counts.empty() ? tensors : counts.size()); ++i) {
        const size_t number = counts.empty() ? 1 : counts[i];
        all.emplace_back(start, number);
        start += number;
    }
    return all;
}

std::vector<gert::CompileTimeTensorDesc> descs(const std::vector<gert::Tensor> &tensors)
{
    std::vector<gert::CompileTimeTensorDesc> all;
    for (const gert::Tensor &t : tensors) {
        all.emplace_back(t.GetDataType(), t.GetFormat());
    }
    return all;
}

AttrSlot &slot(Node &node, const char *type)
{
    node.attrs.push_back(std::make_unique<AttrSlot>());
    node.attrs.back()->type = type;
    return *node.attrs.back();
}

} // namespace

CallDraft::CallDraft() : whole_(std::make_shared<Whole>()) {}

void CallDraft::io_num(size_t inputs, size_t outputs)
{
    whole_->node.inputs.resize(inputs);
    whole_->node.outputs.resize(outputs);
}
void CallDraft::instances(const std::vector<uint32_t> &inputs, const std::vector<uint32_t> &outputs)
{
    whole_->input_counts = inputs;
    whole_->output_counts = outputs;
}
void CallDraft::input(size_t index, const gert::Tensor &tensor) { put(whole_->node.inputs, index, tensor); }
void CallDraft::output(size_t index, const gert::Tensor &tensor) { put(whole_->node.outputs, index, tensor); }
void CallDraft::input_file(size_t index, const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    auto &values = whole_->node.values;
    values.push_back(
        std::make_unique<std::vector<uint8_t>>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
    whole_->node.inputs.at(index).SetHostData(values.back()->data(), values.back()->size());
}
void CallDraft::attr(int64_t value) { slot(whole_->node, "int").integer = value; }
void CallDraft::attr(bool value) { slot(whole_->node, "bool").flag = value; }
void CallDraft::attr(float value) { slot(whole_->node, "float").real = value; }
void CallDraft::attr(const std::string &value) { slot(whole_->node, "str").text = value; }
void CallDraft::attr(const std::vector<int64_t> &value)
{
    AttrSlot &to = slot(whole_->node, "list_int");
    to.integers = value;
    to.list = {to.integers.data(), to.integers.size()};
}
void CallDraft::attr(const std::vector<bool> &value)
{
    AttrSlot &to = slot(whole_->node, "list_bool");
    to.flags = std::make_unique<bool[]>(value.size());
    std::copy(value.begin(), value.end(), to.flags.get());
    to.list = {to.flags.get(), value.size()};
}
void CallDraft::attr(const std::vector<float> &value)
{
    AttrSlot &to = slot(whole_->node, "list_float");
    to.reals = value;
    to.list = {to.reals.data(), to.reals.size()};
}
void CallDraft::attr(const std::vector<std::vector<int64_t>> &value)
{
    AttrSlot &to = slot(whole_->node, "list_list_int");
    to.rows = value;
    for (const std::vector<int64_t> &row : to.rows) {
        to.lists.Append({row.data(), row.size()});
    }
}
void CallDraft::compile_info(const void *info) { whole_->node.compile_info = const_cast<void *>(info); }
void CallDraft::deterministic(int32_t level) { whole_->node.deterministic = level; }
void CallDraft::tiling_data(gert::TilingData *data) { whole_->answer.given_raw = data; }
void CallDraft::tiling_data_size(size_t bytes)
{
    whole_->own_raw = gert::TilingData::CreateCap(bytes);
    tiling_data(reinterpret_cast<gert::TilingData *>(whole_->own_raw.get()));
}
void CallDraft::workspace(gert::ContinuousVector *sizes) { whole_->answer.given_workspaces = sizes; }

void CallDraft::finish()
{
    Node &node = whole_->node;
    node.type = type;
    node.name = name;
    node.input_descs = descs(node.inputs);
    node.output_descs = descs(node.outputs);
    node.ir_inputs = anchors(whole_->input_counts, node.inputs.size());
    node.ir_outputs = anchors(whole_->output_counts, node.outputs.size());
}

gert::ContextHolder<gert::TilingContext> CallDraft::tiling()
{
    finish();
    whole_->tiling = std::make_unique<gert::TilingContext>(&whole_->node, &whole_->answer);
    return {whole_, whole_->tiling.get()};
}
gert::ContextHolder<gert::TilingParseContext> CallDraft::tiling_parse(void *compiled_info)
{
    finish();
    whole_->parse = std::make_unique<gert::TilingParseContext>(&whole_->node, compiled_info);
    return {whole_, whole_->parse.get()};
}
gert::ContextHolder<gert::InferShapeContext> CallDraft::infer_shape()
{
    finish();
    whole_->shape = std::make_unique<gert::InferShapeContext>(&whole_->node);
    return {whole_, whole_->shape.get()};
}
gert::ContextHolder<gert::InferDataTypeContext> CallDraft::infer_data_type()
{
    finish();
    whole_->data_type = std::make_unique<gert::InferDataTypeContext>(&whole_->node);
    return {whole_, whole_->data_type.get()};
}

} // namespace akgen::host

namespace context_ascendc {

bool OpTilingRegistry::LoadTilingLibrary(const char *path) const
{
    return path != nullptr && dlopen(path, RTLD_NOW | RTLD_GLOBAL) != nullptr;
}
TilingFunc OpTilingRegistry::GetTilingFunc(const char *op_type) const
{
    return op_type == nullptr ? nullptr : akgen::host::tiling_of(op_type);
}

} // namespace context_ascendc
