#pragma once
#include "torch_npu/csrc/framework/utils/OpAdapter.h"
