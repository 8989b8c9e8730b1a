#pragma once
#include <cstdint>

struct AddCustomTiling {
    uint32_t length;
};
