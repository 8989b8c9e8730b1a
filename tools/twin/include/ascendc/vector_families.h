// Every header of the vector side.
#pragma once
#include "ascendc/vector_activation.h"
#include "ascendc/vector_arithmetic.h"
#include "ascendc/vector_cast.h"
#include "ascendc/vector_compare.h"
#include "ascendc/vector_compound.h"
#include "ascendc/vector_fill.h"
#include "ascendc/vector_gather.h"
#include "ascendc/vector_mask.h"
#include "ascendc/vector_math.h"
#include "ascendc/vector_operators.h"
#include "ascendc/vector_reduce.h"
#include "ascendc/vector_transpose.h"
