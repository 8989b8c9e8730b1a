// What functions that compute a tiling, or prepare for it, read and answer.
#ifndef AKGEN_EXE_GRAPH_TILING_CONTEXT_H
#define AKGEN_EXE_GRAPH_TILING_CONTEXT_H
#include "graph/types.h"
#include "securec.h" // as the vendor's own header does
#include "exe_graph/runtime/extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

// The bytes that the kernel receives as its tiling argument.
class AKGEN_HOST_API TilingData {
public:
    TilingData(void *data, size_t capacity) : data_(data), capacity_(capacity) {}
    // Return memory that begins with an empty TilingData for as many bytes.
    static std::unique_ptr<uint8_t[]> CreateCap(size_t capacity)
    {
        std::unique_ptr<uint8_t[]> memory(new uint8_t[sizeof(TilingData) + capacity]());
        new (memory.get()) TilingData(memory.get() + sizeof(TilingData), capacity);
        return memory;
    }
    size_t GetCapacity() const { return capacity_; }
    size_t GetDataSize() const { return size_; }
    void SetDataSize(size_t size) { size_ = size; }
    const void *GetData() const { return data_; }
    void *GetData() { return data_; }
    template <class T> ge::graphStatus Append(const T &value)
    {
        if (size_ + sizeof(T) > capacity_) {
            return 0xFFFFFFFFU;
        }
        std::memcpy(static_cast<uint8_t *>(data_) + size_, &value, sizeof(T));
        size_ += sizeof(T);
        return 0U;
    }
    template <class T> ge::graphStatus Append(const T *values, size_t count)
    {
        if (count > (capacity_ - size_) / sizeof(T)) {
            return 0xFFFFFFFFU;
        }
        std::memcpy(static_cast<uint8_t *>(data_) + size_, values, count * sizeof(T));
        size_ += count * sizeof(T);
        return 0U;
    }

private:
    void *data_;
    size_t capacity_;
    size_t size_ = 0;
};

template <class T> TilingData &operator<<(TilingData &out, const T &value)
{
    out.Append(value);
    return out;
}

// What a tiling function reads and answers.
class AKGEN_HOST_API TilingContext : public ExtendedKernelContext {
public:
    TilingContext(akgen::host::Node *node, akgen::host::Answer *answer) : ExtendedKernelContext(node), answer_(answer)
    {
    }
    const void *GetCompileInfo() const;
    template <class T> const T *GetCompileInfo() const { return static_cast<const T *>(GetCompileInfo()); }
    fe::PlatFormInfos *GetPlatformInfo() const;
    const StorageShape *GetInputShape(size_t index) const;
    const StorageShape *GetOptionalInputShape(size_t ir_index) const;
    const StorageShape *GetRequiredInputShape(size_t ir_index) const;
    const StorageShape *GetDynamicInputShape(size_t ir_index, size_t relative_index) const;
    const Tensor *GetInputTensor(size_t index) const;
    const Tensor *GetOptionalInputTensor(size_t ir_index) const;
    const Tensor *GetRequiredInputTensor(size_t ir_index) const;
    const Tensor *GetDynamicInputTensor(size_t ir_index, size_t relative_index) const;
    const StorageShape *GetOutputShape(size_t index) const;

    ge::graphStatus SetTilingKey(uint64_t key);
    uint64_t GetTilingKey() const;
    ge::graphStatus SetBlockDim(uint32_t block_dim);
    uint32_t GetBlockDim() const;
    ge::graphStatus SetSimdNumBlocks(uint32_t num_blocks) { return SetBlockDim(num_blocks); } // their later names
    uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
    ge::graphStatus SetScheduleMode(uint32_t mode);
    uint32_t GetScheduleMode() const;
    ge::graphStatus SetAicpuBlockDim(uint32_t block_dim);
    ge::graphStatus SetLocalMemorySize(uint32_t size_bytes);
    ge::graphStatus SetDynUBufSize(uint32_t size_bytes);
    ge::graphStatus SetNeedAtomic(bool atomic);
    bool NeedAtomic() const;
    ge::graphStatus SetTilingCond(int32_t condition);
    int32_t GetTilingCond() const;
    TilingData *GetRawTilingData();
    template <class T> T *GetTilingData()
    {
        TilingData *raw = GetRawTilingData();
        if (sizeof(T) > raw->GetCapacity()) {
            return nullptr;
        }
        raw->SetDataSize(sizeof(T));
        return static_cast<T *>(raw->GetData());
    }
    size_t *GetWorkspaceSizes(size_t count);
    size_t GetWorkspaceNum() const;
    int32_t GetDeterministic() const;

private:
    akgen::host::Answer *answer_;
};

// What the function registered with TilingParse reads; it fills the operator's compile info.
class AKGEN_HOST_API TilingParseContext : public ExtendedKernelContext {
public:
    TilingParseContext(akgen::host::Node *node, void *compile_info)
        : ExtendedKernelContext(node), compile_info_(compile_info)
    {
    }
    template <class T> T *GetCompiledInfo() const { return static_cast<T *>(compile_info_); }
    const char *GetCompiledJson() const { return "{}"; }
    fe::PlatFormInfos *GetPlatformInfo() const;

private:
    void *compile_info_;
};

} // namespace gert
#endif
