// Everything a kernel may use, under the vendor's names.
#pragma once
#include "ascendc/tensor.h"
#include "ascendc/scalar.h"
#include "ascendc/sync.h"
#include "ascendc/queue.h"
#include "ascendc/copy.h"
#include "ascendc/kernel_macros.h"
#if __has_include("ascendc/vector_families.h")
#include "ascendc/vector_families.h" // includes every header of the vector instruction families
#endif
