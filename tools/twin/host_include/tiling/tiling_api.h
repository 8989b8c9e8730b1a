// Tilings of the high-level device APIs.
#ifndef AKGEN_TILING_TILING_API_H
#define AKGEN_TILING_TILING_API_H
#include "adv_api/matmul_tiling.h"
#include "adv_api/library_tiling.h"
#include "adv_api/softmax_tiling.h"
#include "adv_api/temporary_sizes.h"
#include "tiling/platform/platform_ascendc.h"
#endif
