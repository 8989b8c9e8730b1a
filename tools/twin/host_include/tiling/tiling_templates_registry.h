// Several tiling templates for one operator: the first, by priority, that says it is capable decides.
#ifndef AKGEN_TILING_TILING_TEMPLATES_REGISTRY_H
#define AKGEN_TILING_TILING_TEMPLATES_REGISTRY_H
#include "tiling/tiling_base.h"

namespace optiling {

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
            return std::make_unique<class_name>(context);                                                              \
        })
#define REGISTER_TILING_TEMPLATE(op_type, class_name, priority) AKGEN_ADD_TEMPLATE(op_type, class_name, priority)
#define REGISTER_OPS_TILING_TEMPLATE(op_type, class_name, priority) AKGEN_ADD_TEMPLATE(#op_type, class_name, priority)

#endif
