#include "describe.h"
#include "json.h"
#include "node.h"
#include <algorithm>

namespace akgen::host {

namespace {
constexpr uint64_t no_key = ~uint64_t{0};
constexpr uint64_t first_mark = ASCENDC_TPL_INPUT(0);

std::vector<std::pair<std::string, TemplateDeclaration *>> &declared()
{
    static std::vector<std::pair<std::string, TemplateDeclaration *>> all;
    return all;
}

// The numbers that a parameter may be: what its list, its ranges, or ranges and list say.
std::vector<uint64_t> values_of(const ParamStruct &param)
{
    std::vector<uint64_t> values;
    if (param.paramType != ASCENDC_TPL_UINT) {
        std::copy_if(param.vals.begin(), param.vals.end(), std::back_inserter(values),
                     [](uint64_t v) { return v < first_mark; });
        return values;
    }
    size_t at = 1;
    const uint64_t form = param.vals.empty() ? uint64_t{ASCENDC_TPL_UI_LIST} : param.vals[0];
    if (form != ASCENDC_TPL_UI_LIST && param.vals.size() > 1) {
        const uint64_t ranges = param.vals[at++];
        for (uint64_t r = 0; r < ranges && at + 1 < param.vals.size(); ++r, at += 2) {
            for (uint64_t v = param.vals[at]; v <= param.vals[at + 1] && values.size() < 65536; ++v) {
                values.push_back(v);
            }
        }
    }
    if (form != ASCENDC_TPL_UI_RANGE) {
        values.insert(values.end(), param.vals.begin() + static_cast<long>(std::min(at, param.vals.size())),
                      param.vals.end());
    }
    return values;
}

bool is_argument(const ParamStruct &param)
{
    return param.paramType <= ASCENDC_TPL_BOOL || param.paramType == ASCENDC_TPL_SHARED_KERNEL_TYPE;
}

bool holds(const std::vector<uint64_t> &values, uint64_t value)
{
    return std::find(values.begin(), values.end(), value) != values.end();
}

// The first combination that allows all of these values; none without any declared combination allows everything.
const std::vector<ParamStruct> *combination_of(const TemplateDeclaration &declaration,
                                               const std::vector<uint64_t> &values)
{
    for (const std::vector<ParamStruct> &row : declaration.combinations) {
        size_t index = 0;
        bool fits = true;
        for (const ParamStruct &param : declaration.params) {
            if (!is_argument(param)) {
                continue;
            }
            for (const ParamStruct &choice : row) {
                const bool same = is_argument(choice) && std::string(choice.name) == param.name;
                fits = fits && (!same || holds(values_of(choice), values[index]));
            }
            ++index;
        }
        if (fits) {
            return &row;
        }
    }
    return nullptr;
}

std::string written(const std::vector<uint64_t> &values)
{
    return json_list(values, [](uint64_t v) { return std::to_string(v); });
}
} // namespace

TemplateDeclaration::TemplateDeclaration(const char *op_type, TilingDeclareParams wanted) : params(std::move(wanted))
{
    declared().emplace_back(op_type, this);
}

TemplateSelection::TemplateSelection(TemplateDeclaration &declaration, TilingSelectParams combinations)
{
    declaration.combinations = std::move(combinations);
}

namespace {
const TemplateDeclaration *declaration_of(const std::string &op_type)
{
    const TemplateDeclaration *found = nullptr;
    for (const auto &[type, declaration] : declared()) {
        found = type == op_type || declared().size() == 1 ? declaration : found;
    }
    return found;
}

uint64_t key_of(const TemplateDeclaration &declaration, const std::vector<uint64_t> &values)
{
    uint64_t key = 0;
    unsigned shift = 0;
    size_t index = 0;
    for (const ParamStruct &param : declaration.params) {
        if (!is_argument(param)) {
            continue;
        }
        const std::vector<uint64_t> allowed = values_of(param);
        const uint64_t value = index < values.size() ? values[index] : 0;
        const auto place = static_cast<uint64_t>(std::find(allowed.begin(), allowed.end(), value) - allowed.begin());
        if (index >= values.size() || place == allowed.size() || place >> param.bitWidth) {
            complain("GET_TPL_TILING_KEY: " + (index < values.size() ? std::to_string(value) : std::string("nothing")) +
                     " is given for " + param.name + ", which may be " + written(allowed) + " within " +
                     std::to_string(param.bitWidth) + " bits");
            return no_key;
        }
        key |= place << shift;
        shift += param.bitWidth;
        ++index;
    }
    if (index != values.size() || shift > 64) {
        complain("GET_TPL_TILING_KEY: " + std::to_string(values.size()) + " values for " + std::to_string(index) +
                 " parameters of " + std::to_string(shift) + " bits");
        return no_key;
    }
    if (!declaration.combinations.empty() && combination_of(declaration, values) == nullptr) {
        complain("GET_TPL_TILING_KEY: " + written(values) + " is none of the combinations in ASCENDC_TPL_SEL");
        return no_key;
    }
    return key;
}

// The first values that a combination allows; an empty combination allows what is declared.
std::vector<uint64_t> first_of(const TemplateDeclaration &declaration, const std::vector<ParamStruct> &row)
{
    std::vector<uint64_t> values;
    for (const ParamStruct &param : declaration.params) {
        if (!is_argument(param)) {
            continue;
        }
        std::vector<uint64_t> allowed = values_of(param);
        for (const ParamStruct &choice : row) {
            if (is_argument(choice) && std::string(choice.name) == param.name) {
                allowed = values_of(choice);
            }
        }
        values.push_back(allowed.empty() ? 0 : allowed.front());
    }
    return values;
}
} // namespace

uint64_t template_key(const TemplateDeclaration &declaration, const std::vector<uint64_t> &values)
{
    return key_of(declaration, values);
}

std::string template_examples(const std::string &op_type)
{
    constexpr size_t most = 16;
    const TemplateDeclaration *found = declaration_of(op_type);
    if (found == nullptr) {
        return "[]";
    }
    TilingSelectParams rows = found->combinations.empty() ? TilingSelectParams(1) : found->combinations;
    rows.resize(std::min(rows.size(), most));
    std::string text;
    for (const std::vector<ParamStruct> &row : rows) {
        const uint64_t key = key_of(*found, first_of(*found, row));
        if (key != no_key) {
            text += std::string(text.empty() ? "" : ",") + "{\"key\":" + std::to_string(key) +
                    ",\"template\":" + template_arguments(op_type, key) + "}";
        }
    }
    return "[" + text + "]";
}

std::string template_arguments(const std::string &op_type, uint64_t key)
{
    const TemplateDeclaration *found = declaration_of(op_type);
    if (found == nullptr || key == no_key) {
        return "null";
    }
    std::vector<uint64_t> values;
    std::string arguments, kernel_type = "null", tiling_struct = "null";
    unsigned shift = 0;
    for (const ParamStruct &param : found->params) {
        if (!is_argument(param)) {
            continue;
        }
        const std::vector<uint64_t> allowed = values_of(param);
        const uint64_t place = (key >> shift) & ((uint64_t{1} << param.bitWidth) - 1);
        if (shift >= 64 || place >= allowed.size()) {
            return "null";
        }
        values.push_back(allowed[place]);
        arguments += std::string(arguments.empty() ? "" : ",") + "[" + json_text(param.name) + "," +
                     std::to_string(values.back()) + "]";
        if (param.paramType == ASCENDC_TPL_SHARED_KERNEL_TYPE) {
            kernel_type = std::to_string(values.back());
        }
        shift += param.bitWidth;
    }
    if (const std::vector<ParamStruct> *row = combination_of(*found, values)) {
        for (const ParamStruct &choice : *row) {
            if (choice.paramType == ASCENDC_TPL_KERNEL_TYPE && !choice.vals.empty()) {
                kernel_type = std::to_string(choice.vals[0]);
            } else if (choice.paramType == ASCENDC_TPL_STRUCT) {
                tiling_struct = json_text(choice.name);
            }
        }
    }
    return "{\"args\":[" + arguments + "],\"kernel_type\":" + kernel_type + ",\"tiling_struct\":" + tiling_struct + "}";
}

} // namespace akgen::host
