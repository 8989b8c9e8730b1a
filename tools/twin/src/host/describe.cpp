#include "describe.h"

#include <algorithm>
#include <cctype>

#include "chip.h"
#include "graph/types.h"
#include "json.h"

namespace akgen::host {

namespace {

const char *kind_name(ops::Option kind)
{
    switch (kind) {
    case ops::OPTIONAL: return "optional";
    case ops::REQUIRED: return "required";
    case ops::DYNAMIC: return "dynamic";
    default: return "";
    }
}

std::string describe_param(const ops::OpParamDef &p, bool value_depend)
{
    const auto type_name = [](ge::DataType t) { return json_text(ge::TypeUtils::DataTypeToSerialString(t)); };
    const auto format_name = [](ge::Format f) { return json_text(ge::TypeUtils::FormatToSerialString(f)); };
    return "{\"name\":" + json_text(p.name()) + ",\"kind\":" + json_text(kind_name(p.kind())) +
           ",\"dtypes\":" + json_list(p.types(), type_name) + ",\"formats\":" + json_list(p.formats(), format_name) +
           ",\"each_type\":" + (p.each_type() ? "true" : "false") +
           ",\"each_format\":" + (p.each_format() ? "true" : "false") + ",\"follows\":" + json_text(p.follows()) +
           ",\"scalar\":" + json_text(p.scalar()) +
           ",\"value_depend\":" + (value_depend || !p.value_depend().empty() ? "true" : "false") +
           ",\"init_values\":" + json_list(p.init_values(), json_number) +
           ",\"shape_depends_on_compute\":" + (p.shape_depends_on_compute() ? "true" : "false") + "}";
}

std::string describe_params(const std::vector<ops::OpParamDef> &params, const std::vector<ops::OpParamDef> *own,
                            const std::vector<int32_t> *value_inputs)
{
    std::string out = "[";
    for (size_t i = 0; i < params.size(); ++i) {
        const ops::OpParamDef *param = &params[i];
        if (own != nullptr) {
            for (const ops::OpParamDef &o : *own) {
                param = o.name() == params[i].name() && !o.types().empty() ? &o : param;
            }
        }
        const bool depends = value_inputs != nullptr && std::find(value_inputs->begin(), value_inputs->end(),
                                                                  static_cast<int32_t>(i)) != value_inputs->end();
        out += (i == 0 ? "" : ",") + describe_param(*param, depends);
    }
    return out + "]";
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string describe_fields(const optiling::TilingDef &def);

std::string describe_field(const optiling::TilingDef &def, const optiling::TilingField &f)
{
    const bool is_struct = f.element_bytes == 0;
    return "{\"type\":" + json_text(f.type) + ",\"name\":" + json_text(f.name) +
           ",\"count\":" + std::to_string(f.count) + ",\"bytes\":" + std::to_string(f.element_bytes) +
           ",\"offset\":" + std::to_string(f.data_offset) +
           ",\"fields\":" + (is_struct ? describe_fields(def.nested(f)) : "null") +
           ",\"size\":" + std::to_string(is_struct ? def.nested(f).GetDataSize() : 0) + "}";
}

std::string describe_fields(const optiling::TilingDef &def)
{
    return json_list(def.fields(), [&](const optiling::TilingField &f) { return describe_field(def, f); });
}

} // namespace

std::string describe_op(const ops::OpDef &op, const OpImpl *impl)
{
    const std::string family = lower(chip().short_name);
    const ops::OpAICoreConfig *config = nullptr;
    for (const auto &[soc, candidate] : op.core().configs()) {
        const bool exact = lower(soc) == family;
        // Both families of this generation run the same binaries' source; the exact one is preferred.
        const bool kin = lower(soc) == "ascend910b" || lower(soc) == "ascend910_93";
        config = exact || (kin && config == nullptr) ? &candidate : config;
        if (exact) {
            break;
        }
    }
    const auto soc_name = [](const auto &pair) { return json_text(pair.first); };
    const auto attr = [](const ops::OpAttrDef &a) {
        return "{\"name\":" + json_text(a.name()) + ",\"type\":" + json_text(a.type()) +
               ",\"required\":" + (a.kind() == ops::REQUIRED ? "true" : "false") +
               ",\"default\":" + (a.default_json().empty() ? "null" : a.default_json()) + "}";
    };
    const bool tiled = op.core().tiling() != nullptr || (impl != nullptr && impl->tiling != nullptr);
    return "{\"op_type\":" + json_text(op.type()) + ",\"inputs\":" +
           describe_params(op.inputs(), config == nullptr ? nullptr : &config->inputs(),
                           impl == nullptr ? nullptr : &impl->value_inputs) +
           ",\"outputs\":" + describe_params(op.outputs(), config == nullptr ? nullptr : &config->outputs(), nullptr) +
           ",\"attrs\":" + json_list(op.attrs(), attr) + ",\"socs\":" + json_list(op.core().configs(), soc_name) +
           ",\"supported\":" + (config != nullptr ? "true" : "false") +
           ",\"has_tiling\":" + (tiled ? "true" : "false") + "}";
}

std::string describe_tiling_class(const TilingClass &registered)
{
    const std::unique_ptr<optiling::TilingDef> def(registered.make());
    return "{\"op_type\":" + json_text(registered.op_type) + ",\"class\":" + json_text(registered.class_name) +
           ",\"size\":" + std::to_string(def->GetDataSize()) + ",\"fields\":" + describe_fields(*def) + "}";
}

} // namespace akgen::host
