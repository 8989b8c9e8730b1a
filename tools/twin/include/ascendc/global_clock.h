// clock() as kernels find it outside of AscendC: cycles of the running core. A CPU unit test has the host's.
#pragma once
#include "ascendc/sync.h"

#ifndef ASCENDC_CPU_DEBUG
AKGEN_INLINE uint64_t clock() { return static_cast<uint64_t>(AscendC::GetSystemCycle()); }
#endif
