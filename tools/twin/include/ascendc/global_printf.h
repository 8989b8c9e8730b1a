// utils/debug/asc_printf.h: printf of device code, outside of namespaces, too.
#pragma once
#include "kernel_operator.h"

#if !defined(AKGEN_DIRECT_HOST) && !defined(ASCENDC_CPU_DEBUG) // there the C library's stands under this name
using AscendC::printf;
#endif
