// OpDef: an operator's interface as op_host declares it. Special members live in the library, so that an operator's
// host file does not instantiate them.
#ifndef AKGEN_REGISTER_OP_DEF_H
#define AKGEN_REGISTER_OP_DEF_H
#include "graph/operator.h"
#include "register/op_impl_registry.h"

// Every OpDef makes lists of these; the library has them ready.
extern template class std::vector<ge::DataType>;
extern template class std::vector<ge::Format>;

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FormatCheckOption { DEFAULT = 0, STRICT = 1 };
enum class DependScope { ALL = 0, TILING = 1 };
enum class FollowType { ALL = 0, DTYPE, FORMAT, SHAPE, INVALID_TYPE };
enum class HcclServerType { AICPU, AICORE, MAX };
// Which part of the generated interface's documentation a comment is for.
enum class CommentSection { CATEGORY, BRIEF, CONSTRAINTS, RESTRICTIONS, SEE, THIRDPARTYFWKCOMPAT };
enum class InitValueType { INIT_VALUE_DEFAULT, INIT_VALUE_UINT64_T };

enum class ScalarType { UINT64 = 0, INT64, UINT32, INT32, UINT16, INT16, UINT8, INT8, FLOAT32, FLOAT16, INVALID_TYPE };
union ScalarNum {
    uint64_t value_u64;
    int64_t value_i64;
    float value_f32;
};
struct ScalarVar {
    ScalarType scalar_type = ScalarType::INVALID_TYPE;
    ScalarNum scalar_num = {0};
    ScalarVar() = default;
    // The number is kept as its type says, whatever it is written as.
    template <class T> ScalarVar(ScalarType type, T value) : scalar_type(type)
    {
        if (type == ScalarType::FLOAT32 || type == ScalarType::FLOAT16) {
            scalar_num.value_f32 = static_cast<float>(value);
        } else {
            scalar_num.value_i64 = static_cast<int64_t>(value);
        }
    }
};

class AKGEN_HOST_API OpParamDef {
public:
    explicit OpParamDef(const char *name);
    OpParamDef(const OpParamDef &other);
    OpParamDef &operator=(const OpParamDef &other);
    ~OpParamDef();
    OpParamDef &ParamType(Option kind);
    OpParamDef &DataType(std::vector<ge::DataType> types);
    OpParamDef &DataTypeList(std::vector<ge::DataType> types);
    OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType> types);
    OpParamDef &Format(std::vector<ge::Format> formats);
    OpParamDef &FormatList(std::vector<ge::Format> formats);
    OpParamDef &FormatForBinQuery(std::vector<ge::Format> formats);
    OpParamDef &UnknownShapeFormat(std::vector<ge::Format> formats);
    OpParamDef &ValueDepend(Option option);
    OpParamDef &ValueDepend(Option option, DependScope scope);
    OpParamDef &IgnoreContiguous();
    OpParamDef &AutoContiguous();
    OpParamDef &Scalar();
    OpParamDef &ScalarList();
    OpParamDef &To(ge::DataType type);
    OpParamDef &To(const char *name);
    OpParamDef &Version(uint32_t version);
    OpParamDef &InitValue(uint64_t value);
    OpParamDef &InitValue(const ScalarVar &value);
    OpParamDef &InitValue(const std::vector<ScalarVar> &values);
    OpParamDef &OutputShapeDependOnCompute();
    OpParamDef &Follow(const char *name);
    OpParamDef &Follow(const char *name, FollowType type);
    OpParamDef &Comment(const char *text);

    const std::string &name() const { return name_; }
    Option kind() const { return kind_; }
    const std::vector<ge::DataType> &types() const { return types_; }
    const std::vector<ge::Format> &formats() const { return formats_; }
    bool each_format() const { return each_format_; } // FormatList
    bool each_type() const { return each_type_; }     // DataTypeList: every type, independent of the other parameters
    const std::string &value_depend() const { return value_depend_; }
    const std::string &follows() const { return follows_; }
    const std::string &scalar() const { return scalar_; }
    const std::vector<double> &init_values() const { return init_values_; }
    bool shape_depends_on_compute() const { return depends_on_compute_; }

private:
    std::string name_;
    Option kind_ = IGNORE;
    std::vector<ge::DataType> types_;
    std::vector<ge::Format> formats_;
    bool each_type_ = false;
    bool each_format_ = false;
    std::string value_depend_;
    std::string follows_;
    std::string scalar_;
    std::vector<double> init_values_;
    bool depends_on_compute_ = false;
};

class AKGEN_HOST_API OpAttrDef {
public:
    explicit OpAttrDef(const char *name);
    OpAttrDef(const OpAttrDef &other);
    OpAttrDef &operator=(const OpAttrDef &other);
    ~OpAttrDef();
    OpAttrDef &AttrType(Option kind);
    OpAttrDef &Bool();
    OpAttrDef &Bool(bool value);
    OpAttrDef &Float();
    OpAttrDef &Float(float value);
    OpAttrDef &Int();
    OpAttrDef &Int(int64_t value);
    OpAttrDef &String();
    OpAttrDef &String(const char *value);
    OpAttrDef &ListBool();
    OpAttrDef &ListBool(std::vector<bool> value);
    OpAttrDef &ListFloat();
    OpAttrDef &ListFloat(std::vector<float> value);
    OpAttrDef &ListInt();
    OpAttrDef &ListInt(std::vector<int64_t> value);
    OpAttrDef &ListListInt();
    OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> value);
    OpAttrDef &Version(uint32_t version);
    OpAttrDef &Comment(const char *text);

    const std::string &name() const { return name_; }
    Option kind() const { return kind_; }
    const std::string &type() const { return type_; }            // "int", "list_float", ...
    const std::string &default_json() const { return default_; } // empty: no default

private:
    OpAttrDef &Set(const char *type, std::string json);
    std::string name_;
    Option kind_ = REQUIRED;
    std::string type_;
    std::string default_;
};

class AKGEN_HOST_API OpAICoreConfig {
public:
    OpAICoreConfig();
    explicit OpAICoreConfig(const char *soc);
    OpAICoreConfig(const OpAICoreConfig &other);
    OpAICoreConfig &operator=(const OpAICoreConfig &other);
    ~OpAICoreConfig();
    OpParamDef &Input(const char *name);
    OpParamDef &Output(const char *name);
    OpAICoreConfig &DynamicCompileStaticFlag(bool flag);
    OpAICoreConfig &DynamicFormatFlag(bool flag);
    OpAICoreConfig &DynamicRankSupportFlag(bool flag);
    OpAICoreConfig &DynamicShapeSupportFlag(bool flag);
    OpAICoreConfig &NeedCheckSupportFlag(bool flag);
    OpAICoreConfig &PrecisionReduceFlag(bool flag);
    OpAICoreConfig &RangeLimitValue(const char *value);
    OpAICoreConfig &SlicePatternValue(const char *value);
    OpAICoreConfig &HeavyOpFlag(bool flag);
    OpAICoreConfig &OpPatternValue(const char *value);
    OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value);
    const std::vector<OpParamDef> &inputs() const { return inputs_; }
    const std::vector<OpParamDef> &outputs() const { return outputs_; }

private:
    std::string soc_;
    std::vector<OpParamDef> inputs_;
    std::vector<OpParamDef> outputs_;
};

class AKGEN_HOST_API OpAICoreDef {
public:
    OpAICoreDef();
    OpAICoreDef(const OpAICoreDef &other);
    OpAICoreDef &operator=(const OpAICoreDef &other);
    ~OpAICoreDef();
    using CheckFunc = ge::graphStatus (*)(const ge::Operator &, ge::AscendString &);
    using GeneralizeFunc = ge::graphStatus (*)(const ge::Operator &, const ge::AscendString &, ge::AscendString &);
    OpAICoreDef &SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
    OpAICoreDef &AddConfig(const char *soc);
    OpAICoreDef &AddConfig(const char *soc, OpAICoreConfig &config);
    // Format selection and support checks belong to graph compilation; they are accepted and not called.
    OpAICoreDef &SetCheckSupport(CheckFunc) { return *this; }
    OpAICoreDef &LaunchWithZeroEleOutputTensors(bool) { return *this; }
    OpAICoreDef &SetOpSelectFormat(CheckFunc) { return *this; }
    OpAICoreDef &SetOpSupportInfo(CheckFunc) { return *this; }
    OpAICoreDef &SetOpSpecInfo(CheckFunc) { return *this; }
    OpAICoreDef &SetParamGeneralize(GeneralizeFunc) { return *this; }
    gert::OpImplRegisterV2::TilingKernelFunc tiling() const { return tiling_; }
    const std::vector<std::pair<std::string, OpAICoreConfig>> &configs() const { return configs_; }

private:
    gert::OpImplRegisterV2::TilingKernelFunc tiling_ = nullptr;
    std::vector<std::pair<std::string, OpAICoreConfig>> configs_;
};

class AKGEN_HOST_API OpMC2Def {
public:
    OpMC2Def &HcclGroup(const char *) { return *this; }
    OpMC2Def &HcclGroup(std::vector<const char *>) { return *this; }
    OpMC2Def &HcclServerType(enum HcclServerType, const char * = nullptr) { return *this; }
};

class AKGEN_HOST_API OpDef {
public:
    explicit OpDef(const char *type);
    OpDef(const OpDef &other);
    OpDef &operator=(const OpDef &other);
    virtual ~OpDef();
    OpParamDef &Input(const char *name);
    OpParamDef &Output(const char *name);
    OpAttrDef &Attr(const char *name);
    OpDef &SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function);
    OpDef &SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function);
    OpDef &SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
    OpDef &Comment(const char *text);
    OpDef &Comment(CommentSection, const char *text) { return Comment(text); }
    OpDef &FormatMatchMode(FormatCheckOption option);
    OpDef &EnableFallBack();
    OpAICoreDef &AICore() { return core_; }
    OpMC2Def &MC2() { return mc2_; }
    const std::string &type() const { return type_; }
    const std::vector<OpParamDef> &inputs() const { return inputs_; }
    const std::vector<OpParamDef> &outputs() const { return outputs_; }
    const std::vector<OpAttrDef> &attrs() const { return attrs_; }
    const OpAICoreDef &core() const { return core_; }
    gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape() const { return infer_shape_; }
    gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_data_type() const { return infer_data_type_; }

private:
    std::string type_;
    std::vector<OpParamDef> inputs_;
    std::vector<OpParamDef> outputs_;
    std::vector<OpAttrDef> attrs_;
    OpAICoreDef core_;
    OpMC2Def mc2_;
    gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape_ = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_data_type_ = nullptr;
};

} // namespace ops
#endif
