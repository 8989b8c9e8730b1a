#include "register/op_def.h"

#include "json.h"

template class std::vector<ge::DataType>;
template class std::vector<ge::Format>;

namespace ops {

namespace {
template <class T> T &find_or_add(std::vector<T> &all, const char *name)
{
    for (T &known : all) {
        if (known.name() == name) {
            return known;
        }
    }
    // References returned by Input()/Output()/Attr() stay valid as long as the OpDef has fewer parameters than this.
    all.reserve(128);
    return all.emplace_back(name);
}
} // namespace

OpParamDef::OpParamDef(const char *name) : name_(name) {}
OpParamDef::OpParamDef(const OpParamDef &other) = default;
OpParamDef &OpParamDef::operator=(const OpParamDef &other) = default;
OpParamDef::~OpParamDef() = default;
OpAttrDef::OpAttrDef(const char *name) : name_(name) {}
OpAttrDef::OpAttrDef(const OpAttrDef &other) = default;
OpAttrDef &OpAttrDef::operator=(const OpAttrDef &other) = default;
OpAttrDef::~OpAttrDef() = default;
OpAICoreConfig::OpAICoreConfig() = default;
OpAICoreConfig::OpAICoreConfig(const char *soc) : soc_(soc) {}
OpAICoreConfig::OpAICoreConfig(const OpAICoreConfig &other) = default;
OpAICoreConfig &OpAICoreConfig::operator=(const OpAICoreConfig &other) = default;
OpAICoreConfig::~OpAICoreConfig() = default;
OpAICoreDef::OpAICoreDef() = default;
OpAICoreDef::OpAICoreDef(const OpAICoreDef &other) = default;
OpAICoreDef &OpAICoreDef::operator=(const OpAICoreDef &other) = default;
OpAICoreDef::~OpAICoreDef() = default;
OpDef::OpDef(const char *type) : type_(type) {}
OpDef::OpDef(const OpDef &other) = default;
OpDef &OpDef::operator=(const OpDef &other) = default;
OpDef::~OpDef() = default;

OpParamDef &OpParamDef::ParamType(Option kind)
{
    kind_ = kind;
    return *this;
}
OpParamDef &OpParamDef::DataType(std::vector<ge::DataType> types)
{
    types_ = std::move(types);
    return *this;
}
OpParamDef &OpParamDef::DataTypeList(std::vector<ge::DataType> types)
{
    types_ = std::move(types);
    each_type_ = true;
    return *this;
}
OpParamDef &OpParamDef::DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
OpParamDef &OpParamDef::Format(std::vector<ge::Format> formats)
{
    formats_ = std::move(formats);
    return *this;
}
OpParamDef &OpParamDef::FormatList(std::vector<ge::Format> formats)
{
    each_format_ = true;
    return Format(std::move(formats));
}
OpParamDef &OpParamDef::FormatForBinQuery(std::vector<ge::Format>) { return *this; }
OpParamDef &OpParamDef::UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
OpParamDef &OpParamDef::ValueDepend(Option option)
{
    value_depend_ = option == REQUIRED ? "required" : option == OPTIONAL ? "optional" : "";
    return *this;
}
OpParamDef &OpParamDef::ValueDepend(Option option, DependScope) { return ValueDepend(option); }
OpParamDef &OpParamDef::IgnoreContiguous() { return *this; }
OpParamDef &OpParamDef::AutoContiguous() { return *this; }
OpParamDef &OpParamDef::Scalar()
{
    scalar_ = "scalar";
    return *this;
}
OpParamDef &OpParamDef::ScalarList()
{
    scalar_ = "scalar_list";
    return *this;
}
OpParamDef &OpParamDef::To(ge::DataType) { return *this; }
OpParamDef &OpParamDef::To(const char *) { return *this; }
OpParamDef &OpParamDef::Version(uint32_t) { return *this; }
OpParamDef &OpParamDef::InitValue(uint64_t value)
{
    init_values_ = {static_cast<double>(value)};
    return *this;
}
OpParamDef &OpParamDef::InitValue(const ScalarVar &value) { return InitValue(std::vector<ScalarVar>{value}); }
OpParamDef &OpParamDef::InitValue(const std::vector<ScalarVar> &values)
{
    init_values_.clear();
    for (const ScalarVar &v : values) {
        const bool real = v.scalar_type == ScalarType::FLOAT32 || v.scalar_type == ScalarType::FLOAT16;
        const bool is_signed = v.scalar_type == ScalarType::INT64 || v.scalar_type == ScalarType::INT32 ||
                               v.scalar_type == ScalarType::INT16 || v.scalar_type == ScalarType::INT8;
        init_values_.push_back(real        ? static_cast<double>(v.scalar_num.value_f32)
                               : is_signed ? static_cast<double>(v.scalar_num.value_i64)
                                           : static_cast<double>(v.scalar_num.value_u64));
    }
    return *this;
}
OpParamDef &OpParamDef::OutputShapeDependOnCompute()
{
    depends_on_compute_ = true;
    return *this;
}
OpParamDef &OpParamDef::Follow(const char *name)
{
    follows_ = name;
    return *this;
}
OpParamDef &OpParamDef::Follow(const char *name, FollowType type)
{
    return type == FollowType::ALL || type == FollowType::DTYPE ? Follow(name) : *this;
}
OpParamDef &OpParamDef::Comment(const char *) { return *this; }

OpAttrDef &OpAttrDef::Set(const char *type, std::string json)
{
    type_ = type;
    default_ = std::move(json);
    return *this;
}
OpAttrDef &OpAttrDef::AttrType(Option kind)
{
    kind_ = kind;
    return *this;
}
OpAttrDef &OpAttrDef::Bool() { return Set("bool", ""); }
OpAttrDef &OpAttrDef::Bool(bool value) { return Set("bool", value ? "true" : "false"); }
OpAttrDef &OpAttrDef::Float() { return Set("float", ""); }
OpAttrDef &OpAttrDef::Float(float value) { return Set("float", akgen::host::json_number(static_cast<double>(value))); }
OpAttrDef &OpAttrDef::Int() { return Set("int", ""); }
OpAttrDef &OpAttrDef::Int(int64_t value) { return Set("int", std::to_string(value)); }
OpAttrDef &OpAttrDef::String() { return Set("str", ""); }
OpAttrDef &OpAttrDef::String(const char *value)
{
    return Set("str", akgen::host::json_text(value == nullptr ? "" : value));
}
OpAttrDef &OpAttrDef::ListBool() { return Set("list_bool", ""); }
OpAttrDef &OpAttrDef::ListBool(std::vector<bool> value)
{
    return Set("list_bool", akgen::host::json_list(value, [](bool b) { return std::string(b ? "true" : "false"); }));
}
OpAttrDef &OpAttrDef::ListFloat() { return Set("list_float", ""); }
OpAttrDef &OpAttrDef::ListFloat(std::vector<float> value)
{
    return Set("list_float", akgen::host::json_list(value, [](float f) { return akgen::host::json_number(f); }));
}
OpAttrDef &OpAttrDef::ListInt() { return Set("list_int", ""); }
OpAttrDef &OpAttrDef::ListInt(std::vector<int64_t> value)
{
    return Set("list_int", akgen::host::json_list(value, [](int64_t i) { return std::to_string(i); }));
}
OpAttrDef &OpAttrDef::ListListInt() { return Set("list_list_int", ""); }
OpAttrDef &OpAttrDef::ListListInt(std::vector<std::vector<int64_t>> value)
{
    return Set("list_list_int", akgen::host::json_list(value, [](const std::vector<int64_t> &row) {
                   return akgen::host::json_list(row, [](int64_t i) { return std::to_string(i); });
               }));
}
OpAttrDef &OpAttrDef::Version(uint32_t) { return *this; }
OpAttrDef &OpAttrDef::Comment(const char *) { return *this; }

OpParamDef &OpAICoreConfig::Input(const char *name) { return find_or_add(inputs_, name); }
OpParamDef &OpAICoreConfig::Output(const char *name) { return find_or_add(outputs_, name); }
OpAICoreConfig &OpAICoreConfig::DynamicCompileStaticFlag(bool) { return *this; }
OpAICoreConfig &OpAICoreConfig::DynamicFormatFlag(bool) { return *this; }
OpAICoreConfig &OpAICoreConfig::DynamicRankSupportFlag(bool) { return *this; }
OpAICoreConfig &OpAICoreConfig::DynamicShapeSupportFlag(bool) { return *this; }
OpAICoreConfig &OpAICoreConfig::NeedCheckSupportFlag(bool) { return *this; }
OpAICoreConfig &OpAICoreConfig::PrecisionReduceFlag(bool) { return *this; }
OpAICoreConfig &OpAICoreConfig::RangeLimitValue(const char *) { return *this; }
OpAICoreConfig &OpAICoreConfig::SlicePatternValue(const char *) { return *this; }
OpAICoreConfig &OpAICoreConfig::HeavyOpFlag(bool) { return *this; }
OpAICoreConfig &OpAICoreConfig::OpPatternValue(const char *) { return *this; }
OpAICoreConfig &OpAICoreConfig::ExtendCfgInfo(const char *, const char *) { return *this; }

OpAICoreDef &OpAICoreDef::SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function)
{
    tiling_ = function;
    return *this;
}
OpAICoreDef &OpAICoreDef::AddConfig(const char *soc)
{
    configs_.emplace_back(soc, OpAICoreConfig(soc));
    return *this;
}
OpAICoreDef &OpAICoreDef::AddConfig(const char *soc, OpAICoreConfig &config)
{
    configs_.emplace_back(soc, config);
    return *this;
}

OpParamDef &OpDef::Input(const char *name) { return find_or_add(inputs_, name); }
OpParamDef &OpDef::Output(const char *name) { return find_or_add(outputs_, name); }
OpAttrDef &OpDef::Attr(const char *name) { return find_or_add(attrs_, name); }
OpDef &OpDef::SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function)
{
    infer_shape_ = function;
    return *this;
}
OpDef &OpDef::SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc) { return *this; }
OpDef &OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function)
{
    infer_data_type_ = function;
    return *this;
}
OpDef &OpDef::Comment(const char *) { return *this; }
OpDef &OpDef::FormatMatchMode(FormatCheckOption) { return *this; }
OpDef &OpDef::EnableFallBack() { return *this; }

} // namespace ops
