// Kernel templates that the host picks: their parameters, the combinations that exist, and the tiling key of a pick.
#ifndef AKGEN_TILING_TEMPLATE_ARGUMENT_H
#define AKGEN_TILING_TEMPLATE_ARGUMENT_H
#include "akgen/host_api.h"
#include "graph/types.h"

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_3_BW 3
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8
enum : uint32_t {
    ASCENDC_TPL_DTYPE = 0,
    ASCENDC_TPL_FORMAT,
    ASCENDC_TPL_UINT,
    ASCENDC_TPL_BOOL,
    ASCENDC_TPL_KERNEL_TYPE,
    ASCENDC_TPL_DETERMINISTIC,
    ASCENDC_TPL_STRUCT,
    ASCENDC_TPL_SHARED_KERNEL_TYPE,
};
enum : uint64_t {
    ASCENDC_TPL_UI_RANGE = 0,
    ASCENDC_TPL_UI_LIST,
    ASCENDC_TPL_UI_MIX
}; // how the numbers of a UINT are meant
enum : uint64_t {
    ASCENDC_TPL_AIV_ONLY = 0,
    ASCENDC_TPL_AIC_ONLY,
    ASCENDC_TPL_MIX_AIV_1_0,
    ASCENDC_TPL_MIX_AIC_1_0,
    ASCENDC_TPL_MIX_AIC_1_1,
    ASCENDC_TPL_MIX_AIC_1_2,
};
// Which tensor gives a type parameter its values: a mark among them.
#define ASCENDC_TPL_INPUT(index) (0x100000000ULL + (index))
#define ASCENDC_TPL_OUTPUT(index) (0x200000000ULL + (index))

#define C_DT_FLOAT static_cast<uint64_t>(ge::DT_FLOAT)
#define C_DT_FLOAT16 static_cast<uint64_t>(ge::DT_FLOAT16)
#define C_DT_INT8 static_cast<uint64_t>(ge::DT_INT8)
#define C_DT_INT32 static_cast<uint64_t>(ge::DT_INT32)
#define C_DT_UINT8 static_cast<uint64_t>(ge::DT_UINT8)
#define C_DT_INT16 static_cast<uint64_t>(ge::DT_INT16)
#define C_DT_UINT16 static_cast<uint64_t>(ge::DT_UINT16)
#define C_DT_UINT32 static_cast<uint64_t>(ge::DT_UINT32)
#define C_DT_INT64 static_cast<uint64_t>(ge::DT_INT64)
#define C_DT_UINT64 static_cast<uint64_t>(ge::DT_UINT64)
#define C_DT_DOUBLE static_cast<uint64_t>(ge::DT_DOUBLE)
#define C_DT_BOOL static_cast<uint64_t>(ge::DT_BOOL)
#define C_DT_BF16 static_cast<uint64_t>(ge::DT_BF16)
#define C_FORMAT_NCHW static_cast<uint64_t>(ge::FORMAT_NCHW)
#define C_FORMAT_NHWC static_cast<uint64_t>(ge::FORMAT_NHWC)
#define C_FORMAT_ND static_cast<uint64_t>(ge::FORMAT_ND)
#define C_FORMAT_FRACTAL_NZ static_cast<uint64_t>(ge::FORMAT_FRACTAL_NZ)

struct ParamStruct {
    const char *name;
    uint32_t paramType;
    uint8_t bitWidth;
    std::vector<uint64_t> vals;
    const char *macroType;
    ParamStruct(const char *inName, uint32_t inParamType, uint8_t inBitWidth, std::vector<uint64_t> inVals,
                const char *inMacroType)
        : name(inName), paramType(inParamType), bitWidth(inBitWidth), vals(std::move(inVals)), macroType(inMacroType)
    {
    }
};
using TilingDeclareParams = std::vector<ParamStruct>;
using TilingSelectParams = std::vector<std::vector<ParamStruct>>;

namespace akgen::host {

// One operator's declaration. Constructing it makes it known to the runner.
struct AKGEN_HOST_API TemplateDeclaration {
    TemplateDeclaration(const char *op_type, TilingDeclareParams params);
    TilingDeclareParams params;
    TilingSelectParams combinations;
};
struct AKGEN_HOST_API TemplateSelection {
    TemplateSelection(TemplateDeclaration &declaration, TilingSelectParams combinations);
};
// The key of these values, in the declaration's order; all ones, and a complaint, if they are no combination.
AKGEN_HOST_API uint64_t template_key(const TemplateDeclaration &declaration, const std::vector<uint64_t> &values);

} // namespace akgen::host

#define ASCENDC_TPL_DTYPE_DECL(x, ...) ParamStruct{#x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "DECL"}
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) ASCENDC_TPL_DTYPE_DECL(x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) ParamStruct{#x, ASCENDC_TPL_FORMAT, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "DECL"}
#define ASCENDC_TPL_UINT_DECL(x, bw, ...) ParamStruct{#x, ASCENDC_TPL_UINT, bw, {__VA_ARGS__}, "DECL"}
#define ASCENDC_TPL_BOOL_DECL(x, ...) ParamStruct{#x, ASCENDC_TPL_BOOL, ASCENDC_TPL_1_BW, {__VA_ARGS__}, "DECL"}
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...)                                                                           \
    ParamStruct{#x, ASCENDC_TPL_SHARED_KERNEL_TYPE, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "DECL"}
#define ASCENDC_TPL_DETERMINISTIC_DECL(x, ...)                                                                         \
    ParamStruct{#x, ASCENDC_TPL_DETERMINISTIC, ASCENDC_TPL_1_BW, {__VA_ARGS__}, "DECL"}

#define ASCENDC_TPL_DTYPE_SEL(x, ...) ParamStruct{#x, ASCENDC_TPL_DTYPE, 0, {__VA_ARGS__}, "SEL"}
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) ASCENDC_TPL_DTYPE_SEL(x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) ParamStruct{#x, ASCENDC_TPL_FORMAT, 0, {__VA_ARGS__}, "SEL"}
#define ASCENDC_TPL_UINT_SEL(x, ...) ParamStruct{#x, ASCENDC_TPL_UINT, 0, {__VA_ARGS__}, "SEL"}
#define ASCENDC_TPL_BOOL_SEL(x, ...) ParamStruct{#x, ASCENDC_TPL_BOOL, 0, {__VA_ARGS__}, "SEL"}
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) ParamStruct{"kernel_type", ASCENDC_TPL_KERNEL_TYPE, 0, {__VA_ARGS__}, "SEL"}
// The type of kernel as one of the template's own arguments.
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...)                                                                     \
    ParamStruct{#x, ASCENDC_TPL_SHARED_KERNEL_TYPE, 0, {__VA_ARGS__}, "SEL"}
#define ASCENDC_TPL_DETERMINISTIC_SEL(...)                                                                             \
    ParamStruct{"deterministic", ASCENDC_TPL_DETERMINISTIC, 0, {__VA_ARGS__}, "SEL"}
#define ASCENDC_TPL_TILING_STRUCT_SEL(x) ParamStruct{#x, ASCENDC_TPL_STRUCT, 0, {}, "SEL"}

#define ASCENDC_TPL_ARGS_DECL(x, ...)                                                                                  \
    static akgen::host::TemplateDeclaration akgen_template                                                             \
    {                                                                                                                  \
        #x, TilingDeclareParams { __VA_ARGS__ }                                                                        \
    }
#define ASCENDC_TPL_ARGS_SEL(...)                                                                                      \
    std::vector<ParamStruct> { __VA_ARGS__ }
#define ASCENDC_TPL_SEL(...)                                                                                           \
    static akgen::host::TemplateSelection akgen_selection                                                              \
    {                                                                                                                  \
        akgen_template, TilingSelectParams { __VA_ARGS__ }                                                             \
    }
#define GET_TPL_TILING_KEY(...) akgen::host::template_key(akgen_template, {__VA_ARGS__})
#define ASCENDC_TPL_SEL_PARAM(context, ...)                                                                            \
    do {                                                                                                               \
        (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__));                                                      \
    } while (0)

#endif
