// Global memory of CPU unit tests: what GmAlloc gave and GmFree has not taken back.
#pragma once
#include "device/launch.h"
#include <vector>

namespace akgen::twin {

std::vector<const GmMapping *> unit_memory();

} // namespace akgen::twin
