#ifndef AKGEN_REGISTER_OP_DEF_REGISTRY_H
#define AKGEN_REGISTER_OP_DEF_REGISTRY_H
#include "register/op_def.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"

namespace ops {

class AKGEN_HOST_API OpDefFactory {
public:
    using Maker = OpDef (*)(const char *);
    static int OpDefRegister(const char *type, Maker maker);
};

} // namespace ops

// In two steps, so that a macro may name the operator.
#define OP_ADD(op_type, ...) AKGEN_OP_ADD(op_type)
#define AKGEN_OP_ADD(op_type)                                                                                          \
    [[maybe_unused]] static int g_##op_type##_added =                                                                  \
        ::ops::OpDefFactory::OpDefRegister(#op_type, [](const char *name) -> ::ops::OpDef { return op_type(name); })

#endif
