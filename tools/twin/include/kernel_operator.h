// Everything a kernel may use, under the vendor's names.
#pragma once
#include "ascendc/tensor.h"
#include "ascendc/tensor_debug.h"
#include "ascendc/local_memory.h"
#include "ascendc/scalar.h"
#include "ascendc/sync.h"
#include "ascendc/queue.h"
#include "ascendc/copy.h"
#include "ascendc/cce_copy.h"
#include "ascendc/copy_layout.h"
#include "ascendc/global_memory.h"
#ifndef AKGEN_VECTOR_ONLY // the build says that the kernel names nothing of the cube core
#include "ascendc/cube.h"
#endif
#include "ascendc/device_utils.h"
#include "ascendc/list_tensor.h"
#include "ascendc/kernel_macros.h"
#include "ascendc/vector_families.h"
#include "ascendc/tensor_operators.h"
