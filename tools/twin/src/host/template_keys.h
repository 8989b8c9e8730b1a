// Which template arguments a tiling key stands for.
#pragma once
#include "ascendc/host_api/tiling/template_argument.h"

namespace akgen::host {

// {"args":[["D_T_X",0],...],"kernel_type":5|null,"tiling_struct":"Name"|null} for the operator's declaration, `null`
// if it has none or the key is none of its own.
std::string template_arguments(const std::string &op_type, uint64_t key);

// [{"key":3,"template":{...}},...]: one pick for each declared combination, at most 16.
std::string template_examples(const std::string &op_type);

} // namespace akgen::host
