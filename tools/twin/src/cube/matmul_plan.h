// What the cube core does for one product: loads, multiplications and stores, entered in its log.
#pragma once
#include "akgen/matmul.h"
#include "device/core.h"

namespace akgen::twin {

void log_product(Core &cube, const Product &p, const void *pc, const char *api);

} // namespace akgen::twin
