#pragma once
#include "pytorch_npu_helper.hpp"
