// The base class of tiling templates (a fixed sequence of steps, each of which a template fills), and their registry.
#ifndef AKGEN_TILING_TILING_BASE_H
#define AKGEN_TILING_TILING_BASE_H
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

struct AiCoreParams {
    uint64_t ubSize = 0;
    uint64_t blockDim = 0;
    uint64_t aicNum = 0;
    uint64_t l1Size = 0;
    uint64_t l0aSize = 0;
    uint64_t l0bSize = 0;
    uint64_t l0cSize = 0;
};

struct CompileInfoCommon {
    uint32_t aivNum = 0;
    uint32_t aicNum = 0;
    uint64_t ubSize = 0;
    uint64_t l1Size = 0;
    uint64_t l0aSize = 0;
    uint64_t l0bSize = 0;
    uint64_t l0cSize = 0;
    uint64_t l2CacheSize = 0;
    int64_t coreNum = 0;
    int32_t socVersion = 0;
    uint32_t rsvd = 0;
};

class AKGEN_HOST_API TilingBaseClass {
public:
    explicit TilingBaseClass(gert::TilingContext *context) : context_(context) {}
    virtual ~TilingBaseClass() = default;
    // Run the steps in order; GRAPH_PARAM_INVALID says that another template should try.
    ge::graphStatus DoTiling();
    virtual void Reset(gert::TilingContext *context) { context_ = context; }

protected:
    virtual bool IsCapable() = 0;
    virtual ge::graphStatus GetPlatformInfo() = 0;
    virtual ge::graphStatus GetShapeAttrsInfo() = 0;
    virtual ge::graphStatus DoOpTiling() = 0;
    virtual ge::graphStatus DoLibApiTiling() = 0;
    virtual uint64_t GetTilingKey() const = 0;
    virtual ge::graphStatus GetWorkspaceSize() = 0;
    virtual ge::graphStatus PostTiling() = 0;
    virtual void DumpTilingInfo() {}
    static uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores);
    template <typename T> std::string GetShapeDebugStr(const T &shape) const
    {
        std::ostringstream out;
        for (size_t i = 0; i < shape.GetDimNum(); ++i) {
            out << (i == 0 ? "[" : ", ") << shape.GetDim(i);
        }
        out << "]";
        return out.str();
    }

    gert::TilingContext *context_ = nullptr;
    std::unique_ptr<platform_ascendc::PlatformAscendC> ascendcPlatform_;
    uint32_t blockDim_ = 0;
    uint64_t workspaceSize_ = 0;
    uint64_t tilingKey_ = 0;
    AiCoreParams aicoreParams_;
};

// Several tiling templates for one operator: the first, by priority, that says it is capable decides.
using TilingMaker = std::unique_ptr<TilingBaseClass> (*)(gert::TilingContext *);

class AKGEN_HOST_API TilingRegistry {
public:
    static TilingRegistry &GetInstance();
    ge::graphStatus DoTilingImpl(gert::TilingContext *context);
    ge::graphStatus DoTilingImpl(gert::TilingContext *context, const std::vector<int32_t> &priorities);
    static int Add(const std::string &op_type, int32_t priority, TilingMaker maker);
};

} // namespace optiling

#define AKGEN_TEMPLATE_NAME2(class_name, n) akgen_tiling_template_##class_name##_##n
#define AKGEN_TEMPLATE_NAME(class_name, n) AKGEN_TEMPLATE_NAME2(class_name, n)
#define AKGEN_ADD_TEMPLATE(op_type, class_name, priority)                                                              \
    [[maybe_unused]] static const int AKGEN_TEMPLATE_NAME(class_name, __COUNTER__) = ::optiling::TilingRegistry::Add(  \
        op_type, priority, [](gert::TilingContext *context) -> std::unique_ptr<::optiling::TilingBaseClass> {          \
            return std::unique_ptr<::optiling::TilingBaseClass>(new class_name(context));                              \
        })
#define REGISTER_TILING_TEMPLATE(op_type, class_name, priority) AKGEN_ADD_TEMPLATE(op_type, class_name, priority)
#define REGISTER_OPS_TILING_TEMPLATE(op_type, class_name, priority) AKGEN_ADD_TEMPLATE(#op_type, class_name, priority)

#endif
