// What every context offers, and the node that it shows.
#ifndef AKGEN_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
#define AKGEN_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
#include "exe_graph/runtime/tensor.h"
#include "akgen/host_api.h"

namespace gert {

// Attributes of a call, lists among them.
// A list attribute's values.
class ContinuousVector {
public:
    ContinuousVector() = default;
    ContinuousVector(const void *data, size_t size) : data_(data), size_(size) {}
    // Return memory that begins with an empty vector for as many elements.
    template <class T> static std::unique_ptr<uint8_t[]> Create(size_t capacity)
    {
        static_assert(sizeof(ContinuousVector) % alignof(T) == 0);
        std::unique_ptr<uint8_t[]> memory(new uint8_t[sizeof(ContinuousVector) + capacity * sizeof(T)]());
        auto *vector = new (memory.get()) ContinuousVector(memory.get() + sizeof(ContinuousVector), 0);
        vector->capacity_ = capacity;
        return memory;
    }
    size_t GetSize() const { return size_; }
    size_t GetCapacity() const { return capacity_ > size_ ? capacity_ : size_; }
    const void *GetData() const { return data_; }
    void *MutableData() { return const_cast<void *>(data_); }
    ge::graphStatus SetSize(size_t size)
    {
        size_ = size <= GetCapacity() ? size : size_;
        return size_ == size ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
    }

protected:
    const void *data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

template <class T> class TypedContinuousVector : public ContinuousVector {
public:
    using ContinuousVector::ContinuousVector;
    const T *GetData() const { return static_cast<const T *>(data_); }
};

// A list of lists.
class ContinuousVectorVector {
public:
    size_t GetSize() const { return rows_.size(); }
    const ContinuousVector *Get(size_t i) const { return i < rows_.size() ? &rows_[i] : nullptr; }
    void Append(const ContinuousVector &row) { rows_.push_back(row); }

private:
    std::vector<ContinuousVector> rows_;
};

// A call's attributes by their index in the OpDef. Integers are int64_t, floats float, strings char[].
class AKGEN_HOST_API RuntimeAttrs {
public:
    explicit RuntimeAttrs(const akgen::host::Node *node) : node_(node) {}
    template <class T> const T *GetAttrPointer(size_t index) const { return static_cast<const T *>(Address(index)); }
    const int64_t *GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float *GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
    const bool *GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
    const char *GetStr(size_t index) const { return GetAttrPointer<char>(index); }
    const TypedContinuousVector<int64_t> *GetListInt(size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const TypedContinuousVector<float> *GetListFloat(size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }
    const ContinuousVectorVector *GetListListInt(size_t index) const
    {
        return GetAttrPointer<ContinuousVectorVector>(index);
    }
    size_t GetAttrNum() const;

private:
    const void *Address(size_t index) const; // nullptr: no such attribute, or absent
    const akgen::host::Node *node_;
};

// Which flat positions a parameter of the OpDef takes: 0 for an absent optional one, n for a DYNAMIC one.
class AnchorInstanceInfo {
public:
    AnchorInstanceInfo() = default;
    AnchorInstanceInfo(size_t start, size_t num) : start_(start), num_(num) {}
    size_t GetInstanceNum() const { return num_; }
    size_t GetInstanceStart() const { return start_; }

private:
    size_t start_ = 0;
    size_t num_ = 0;
};

class CompileTimeTensorDesc {
public:
    CompileTimeTensorDesc() = default;
    CompileTimeTensorDesc(ge::DataType type, const StorageFormat &format) : type_(type), format_(format) {}
    ge::DataType GetDataType() const { return type_; }
    const StorageFormat &GetFormat() const { return format_; }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    void SetDataType(ge::DataType type) { type_ = type; }

private:
    ge::DataType type_ = ge::DT_UNDEFINED;
    StorageFormat format_;
};

class AKGEN_HOST_API ComputeNodeInfo {
public:
    explicit ComputeNodeInfo(const akgen::host::Node *node) : node_(node) {}
    const char *GetNodeType() const;
    const char *GetNodeName() const;
    size_t GetIrInputsNum() const;
    size_t GetIrOutputsNum() const;
    size_t GetInputsNum() const;
    size_t GetOutputsNum() const;
    const AnchorInstanceInfo *GetInputInstanceInfo(size_t ir_index) const;
    const AnchorInstanceInfo *GetOutputInstanceInfo(size_t ir_index) const;
    const CompileTimeTensorDesc *GetInputTdInfo(size_t index) const;
    const CompileTimeTensorDesc *GetOutputTdInfo(size_t index) const;
    const RuntimeAttrs *GetAttrs() const;

private:
    const akgen::host::Node *node_;
};

class KernelContext {};

// What every context offers. `index` counts tensors that are present (a DYNAMIC parameter takes one position per
// tensor, an absent optional one none); `ir_index` counts the OpDef's parameters.
class AKGEN_HOST_API ExtendedKernelContext : public KernelContext {
public:
    explicit ExtendedKernelContext(akgen::host::Node *node) : node_(node) {}
    const CompileTimeTensorDesc *GetInputDesc(size_t index) const;
    const CompileTimeTensorDesc *GetOptionalInputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc *GetRequiredInputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc *GetDynamicInputDesc(size_t ir_index, size_t relative_index) const;
    const CompileTimeTensorDesc *GetOutputDesc(size_t index) const;
    const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t ir_index) const;
    const AnchorInstanceInfo *GetIrOutputInstanceInfo(size_t ir_index) const;
    size_t GetComputeNodeInputNum() const;
    size_t GetComputeNodeOutputNum() const;
    const ComputeNodeInfo *GetComputeNodeInfo() const;
    const RuntimeAttrs *GetAttrs() const;
    const char *GetNodeName() const;
    const char *GetNodeType() const;
    const char *GetKernelName() const;

protected:
    const Tensor *Input(size_t index) const;
    const Tensor *IrInput(size_t ir_index, size_t relative_index) const;
    Tensor *Output(size_t index) const;
    akgen::host::Node *node_;
};

} // namespace gert
#endif
