// Contexts that a test builds, to call tiling functions and those that prepare for them.
// Source: vendor pages "ContextBuilder" and "OpTilingRegistry".
#ifndef AKGEN_TILING_CONTEXT_BUILDER_H
#define AKGEN_TILING_CONTEXT_BUILDER_H
#include "base/context_builder/op_context_builder_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace context_ascendc {

using TilingFunc = uint32_t (*)(gert::TilingContext *);

class AKGEN_HOST_API OpTilingRegistry {
public:
    bool LoadTilingLibrary(const char *tilingSoPath) const;
    TilingFunc GetTilingFunc(const char *opType) const; // nullptr: none is registered
};

class KernelRunContextHolder {
public:
    explicit KernelRunContextHolder(gert::ContextHolder<gert::TilingContext> tiling) : tiling_(std::move(tiling)) {}
    explicit KernelRunContextHolder(gert::ContextHolder<gert::TilingParseContext> parse) : parse_(std::move(parse)) {}
    template <typename T> T *GetContext()
    {
        gert::ExtendedKernelContext *context = tiling_.GetContext();
        context = context != nullptr ? context : parse_.GetContext();
        return static_cast<T *>(context);
    }

private:
    gert::ContextHolder<gert::TilingContext> tiling_;
    gert::ContextHolder<gert::TilingParseContext> parse_;
};

class ContextBuilder {
public:
    ContextBuilder &Inputs(std::vector<void *>) { return *this; } // the compile info's JSON text and the platform
    ContextBuilder &Outputs(std::vector<void *> outputs)
    {
        compiled_info_ = outputs.empty() ? nullptr : outputs[0];
        return *this;
    }
    ContextBuilder &SetOpNameType(const std::string &opName, const std::string &opType)
    {
        draft_.name = opName;
        draft_.type = opType;
        return *this;
    }
    ContextBuilder &NodeIoNum(size_t inputNum, size_t outputNum)
    {
        draft_.io_num(inputNum, outputNum);
        return *this;
    }
    ContextBuilder &IrInstanceNum(std::vector<uint32_t> instanceNum)
    {
        draft_.instances(instanceNum, {});
        return *this;
    }
    ContextBuilder &AddInputTd(int32_t index, ge::DataType dtype, ge::Format originFormat, ge::Format storageFormat,
                               gert::StorageShape storageShape)
    {
        return AddInputTd(index, dtype, originFormat, storageFormat, storageShape, static_cast<void *>(nullptr));
    }
    ContextBuilder &AddInputTd(int32_t index, ge::DataType dtype, ge::Format originFormat, ge::Format storageFormat,
                               gert::StorageShape storageShape, void *constValues)
    {
        draft_.input(index, {storageShape, {originFormat, storageFormat}, gert::kOnHost, dtype, constValues});
        return *this;
    }
    ContextBuilder &AddInputTd(int32_t index, ge::DataType dtype, ge::Format originFormat, ge::Format storageFormat,
                               gert::StorageShape storageShape, const std::string &filePath)
    {
        AddInputTd(index, dtype, originFormat, storageFormat, storageShape);
        draft_.input_file(index, filePath);
        return *this;
    }
    ContextBuilder &AddOutputTd(int32_t index, ge::DataType dtype, ge::Format originFormat, ge::Format storageFormat,
                                gert::StorageShape storageShape)
    {
        draft_.output(index, {storageShape, {originFormat, storageFormat}, dtype});
        return *this;
    }
    template <typename V> ContextBuilder &AddAttr(const std::string &, const V &value) // in the OpDef's order
    {
        if constexpr (std::is_convertible<V, std::string>::value) {
            draft_.attr(std::string(value));
        } else if constexpr (std::is_integral<V>::value && !std::is_same<V, bool>::value) {
            draft_.attr(static_cast<int64_t>(value));
        } else if constexpr (std::is_floating_point<V>::value) {
            draft_.attr(static_cast<float>(value));
        } else {
            draft_.attr(value);
        }
        return *this;
    }
    ContextBuilder &CompileInfo(void *compileInfo)
    {
        draft_.compile_info(compileInfo);
        return *this;
    }
    ContextBuilder &PlatformInfo(void *) { return *this; } // the twin's chip
    ContextBuilder &AddPlatformInfo(const std::string &) { return *this; }
    ContextBuilder &TilingData(void *tilingData)
    {
        draft_.tiling_data(static_cast<gert::TilingData *>(tilingData));
        return *this;
    }
    ContextBuilder &Workspace(gert::ContinuousVector *workspace)
    {
        draft_.workspace(workspace);
        return *this;
    }
    std::shared_ptr<KernelRunContextHolder> BuildTilingContext()
    {
        return std::make_shared<KernelRunContextHolder>(draft_.tiling());
    }
    std::shared_ptr<KernelRunContextHolder> BuildKernelRunContext()
    {
        return std::make_shared<KernelRunContextHolder>(draft_.tiling_parse(compiled_info_));
    }

private:
    akgen::host::CallDraft draft_;
    void *compiled_info_ = nullptr;
};

} // namespace context_ascendc
#endif
