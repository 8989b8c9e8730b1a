// The tilings of high-level interfaces, as the device reads them.
#pragma once
#include "kernel_tiling/library_fields.h"
#include <stdint.h>

#define AKGEN_FIELD(Type, name) Type name = 0;
#define AKGEN_STRUCT(Name, Fields)                                                                                     \
    struct alignas(8) Name {                                                                                           \
        Fields(AKGEN_FIELD)                                                                                            \
    };
AKGEN_LIBRARY_TILINGS(AKGEN_STRUCT)
#undef AKGEN_STRUCT
#undef AKGEN_FIELD

namespace AscendC::tiling {
#define AKGEN_STRUCT(Name, Fields) using ::Name;
AKGEN_LIBRARY_TILINGS(AKGEN_STRUCT)
#undef AKGEN_STRUCT
} // namespace AscendC::tiling
