// The tiling structure, for host and kernel.
#pragma once
#include <cstdint>

struct TemplateScaleTiling {
    uint32_t length;
    float factor;
};
