// What the cube core does for one product: loads, multiplications and stores, entered in its log.
#pragma once
#include "akgen/matmul.h"
#include "device/core.h"

namespace akgen::twin {

// Trap unless the blocks and what L1 keeps of them fit.
void require_room_for(const Core &cube, const Product &p, const char *api, const void *pc);
void log_product(Core &cube, const Product &p, const void *pc, const char *api);

} // namespace akgen::twin
