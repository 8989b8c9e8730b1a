// Everything a kernel may use, under the vendor's names.
#pragma once
#include "ascendc/tensor.h"
#if __has_include("ascendc/vector_families.h")
#include "ascendc/vector_families.h" // includes every header of the vector instruction families
#endif
