#ifndef AKGEN_EXE_GRAPH_TILING_PARSE_CONTEXT_H
#define AKGEN_EXE_GRAPH_TILING_PARSE_CONTEXT_H
#include "exe_graph/runtime/extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

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
