// What keeps a context that a builder made, and all that it shows.
#ifndef AKGEN_BASE_CONTEXT_HOLDER_H
#define AKGEN_BASE_CONTEXT_HOLDER_H
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
#endif
