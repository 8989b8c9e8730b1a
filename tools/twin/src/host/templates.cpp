// Tiling templates and the log that their macros write to.
#include "tiling/tiling_base.h"

#include "node.h"

namespace akgen::host {

void log_error(const std::string &op, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    complain((op.empty() ? "" : op + ": ") + text);
}

} // namespace akgen::host

namespace optiling {

namespace {
std::map<std::string, std::map<int32_t, TilingMaker>> &makers()
{
    static std::map<std::string, std::map<int32_t, TilingMaker>> all;
    return all;
}
} // namespace

ge::graphStatus TilingBaseClass::DoTiling()
{
    ge::graphStatus status = GetShapeAttrsInfo();
    if (status != ge::GRAPH_SUCCESS) {
        return status;
    }
    status = GetPlatformInfo();
    if (status != ge::GRAPH_SUCCESS) {
        return status;
    }
    if (!IsCapable()) {
        return ge::GRAPH_PARAM_INVALID;
    }
    status = DoOpTiling();
    if (status != ge::GRAPH_SUCCESS) {
        return status;
    }
    status = DoLibApiTiling();
    if (status != ge::GRAPH_SUCCESS) {
        return status;
    }
    status = GetWorkspaceSize();
    if (status != ge::GRAPH_SUCCESS) {
        return status;
    }
    status = PostTiling();
    if (status != ge::GRAPH_SUCCESS) {
        return status;
    }
    context_->SetTilingKey(GetTilingKey());
    DumpTilingInfo();
    return ge::GRAPH_SUCCESS;
}

uint32_t TilingBaseClass::CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores)
{
    return platform_ascendc::PlatformAscendCManager::GetInstance()->CalcTschBlockDim(slices, aic_cores, aiv_cores);
}

TilingRegistry &TilingRegistry::GetInstance()
{
    static TilingRegistry registry;
    return registry;
}

int TilingRegistry::Add(const std::string &op_type, int32_t priority, TilingMaker maker)
{
    makers()[op_type][priority] = maker;
    return 0;
}

ge::graphStatus TilingRegistry::DoTilingImpl(gert::TilingContext *context)
{
    for (const auto &[priority, make] : makers()[context->GetNodeType()]) {
        const ge::graphStatus status = make(context)->DoTiling();
        if (status != ge::GRAPH_PARAM_INVALID) {
            return status;
        }
    }
    akgen::host::complain("no tiling template of this operator is capable of this call");
    return ge::GRAPH_FAILED;
}

ge::graphStatus TilingRegistry::DoTilingImpl(gert::TilingContext *context, const std::vector<int32_t> &priorities)
{
    const auto &known = makers()[context->GetNodeType()];
    for (const int32_t priority : priorities) {
        const auto found = known.find(priority);
        if (found != known.end()) {
            const ge::graphStatus status = found->second(context)->DoTiling();
            if (status != ge::GRAPH_PARAM_INVALID) {
                return status;
            }
        }
    }
    return ge::GRAPH_FAILED;
}

} // namespace optiling
