// Registered OpDefs and tiling structs as JSON.
#pragma once
#include <string>

#include "register/op_def.h"
#include "registry.h"

namespace akgen::host {

// `op` as it is for this chip: parameters that its AICore config overrides are taken from there.
std::string describe_op(const ops::OpDef &op, const OpImpl *impl);
std::string describe_tiling_class(const TilingClass &registered);

} // namespace akgen::host
