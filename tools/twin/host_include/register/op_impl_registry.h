// IMPL_OP and its kin: bind tiling, compile-info and shape functions to an operator by name.
#ifndef AKGEN_REGISTER_OP_IMPL_REGISTRY_H
#define AKGEN_REGISTER_OP_IMPL_REGISTRY_H
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/types.h"

namespace gert {

class AKGEN_HOST_API OpImplRegisterV2 {
public:
    using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext *);
    using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext *);
    using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext *);
    using TilingKernelFunc = ge::graphStatus (*)(TilingContext *);
    using TilingParseFunc = ge::graphStatus (*)(TilingParseContext *);
    using KernelFunc = ge::graphStatus (*)(KernelContext *);

    explicit OpImplRegisterV2(const char *op_type);
    OpImplRegisterV2 &InferShape(InferShapeKernelFunc function);
    OpImplRegisterV2 &InferShapeRange(InferShapeRangeKernelFunc function);
    OpImplRegisterV2 &InferDataType(InferDataTypeKernelFunc function);
    OpImplRegisterV2 &Tiling(TilingKernelFunc function, size_t max_tiling_data_bytes = 0);
    template <class T> OpImplRegisterV2 &TilingParse(TilingParseFunc function)
    {
        return Parse(function, []() -> void * { return new T(); }, [](void *p) { delete static_cast<T *>(p); });
    }
    template <class T> OpImplRegisterV2 &TilingParse(KernelFunc function)
    {
        return TilingParse<T>(reinterpret_cast<TilingParseFunc>(function));
    }
    OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2 &OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs);
    OpImplRegisterV2 &HostInputs(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2 &InferOutDataTypeSameWithFirstInput() { return *this; }
    OpImplRegisterV2 &PrivateAttr(const char *name);
    OpImplRegisterV2 &PrivateAttr(const char *name, int64_t value);
    OpImplRegisterV2 &PrivateAttr(const char *name, float value);
    OpImplRegisterV2 &PrivateAttr(const char *name, bool value);
    OpImplRegisterV2 &PrivateAttr(const char *name, const char *value);

private:
    OpImplRegisterV2 &Parse(TilingParseFunc function, void *(*make)(), void (*drop)(void *));
    std::string op_type_;
};
using OpImplRegister = OpImplRegisterV2;

} // namespace gert

#define AKGEN_IMPL_NAME2(op_type, n) akgen_impl_##op_type##_##n
#define AKGEN_IMPL_NAME(op_type, n) AKGEN_IMPL_NAME2(op_type, n)
#define ASCENDC_EXTERN_C extern "C"
#define IMPL_OP(op_type)                                                                                               \
    [[maybe_unused]] static ::gert::OpImplRegisterV2 AKGEN_IMPL_NAME(op_type, __COUNTER__) =                           \
        ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type) IMPL_OP(op_type)
#define IMPL_OP_INFERSHAPE(op_type) IMPL_OP(op_type)
// A tiling function that may run on the device as well.
#define DEVICE_IMPL_OP_OPTILING(op_type) IMPL_OP(op_type)

#endif
