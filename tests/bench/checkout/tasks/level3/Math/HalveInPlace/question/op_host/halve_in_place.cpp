#include "register/op_def_registry.h"

namespace ops {
class HalveInPlace : public OpDef {
public:
    explicit HalveInPlace(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("mask").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("times").AttrType(OPTIONAL).Int(1);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(HalveInPlace);
}  // namespace ops
