// One call of an operator, as the contexts show it to host code.
#pragma once
#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_context.h"

namespace akgen::host {

struct AttrSlot {
    std::string type; // "int", "list_float", ... ; empty: absent
    int64_t integer = 0;
    float real = 0;
    bool flag = false;
    std::string text;
    std::vector<int64_t> integers;
    std::vector<float> reals;
    std::unique_ptr<bool[]> flags;
    gert::ContinuousVector list; // what GetListXxx returns
    gert::ContinuousVectorVector lists;
    std::vector<std::vector<int64_t>> rows;
    const void *address() const;
};

struct Node {
    std::string type;
    std::string name;
    std::vector<gert::Tensor> inputs; // present tensors only, DYNAMIC ones spread out
    std::vector<gert::Tensor> outputs;
    std::vector<gert::CompileTimeTensorDesc> input_descs;
    std::vector<gert::CompileTimeTensorDesc> output_descs;
    std::vector<gert::AnchorInstanceInfo> ir_inputs;
    std::vector<gert::AnchorInstanceInfo> ir_outputs;
    std::vector<std::unique_ptr<AttrSlot>> attrs;
    std::vector<std::unique_ptr<std::vector<uint8_t>>> values; // data of ValueDepend inputs
    gert::RuntimeAttrs runtime_attrs{this};
    gert::ComputeNodeInfo info{this};
    std::vector<gert::Range<gert::Shape>> input_ranges;
    std::vector<gert::Range<gert::Shape>> output_ranges;
    void *compile_info = nullptr;
    int32_t deterministic = 0;

    Node() = default;
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;
};

// The element at a place that host code names, or nullptr where there is none.
template <class V> auto at(V &values, size_t i) -> decltype(&values[0])
{
    return i < values.size() ? &values[i] : nullptr;
}

struct Answer {
    static constexpr size_t capacity_bytes = 16 * 1024;
    std::vector<uint64_t> bytes = std::vector<uint64_t>(capacity_bytes / sizeof(uint64_t), 0);
    gert::TilingData raw{bytes.data(), capacity_bytes};
    uint64_t tiling_key = 0;
    uint32_t block_dim = 0;
    bool block_dim_set = false;
    uint32_t schedule_mode = 0;
    uint32_t local_memory_bytes = 0;
    int32_t condition = 0;
    bool atomic = false;
    std::vector<size_t> workspaces;
    // What a test of a tiling function has answers written into instead.
    gert::TilingData *given_raw = nullptr;
    gert::ContinuousVector *given_workspaces = nullptr;

    Answer() = default;
    Answer(const Answer &) = delete;
    Answer &operator=(const Answer &) = delete;
};

// Remember what host code got wrong without its noticing (a tiling struct that does not fit its buffer, ...).
void complain(const std::string &text);
const std::vector<std::string> &complaints();

} // namespace akgen::host
