#pragma once
#include <cstdint>

void launch_scaled(int kind, void *x, void *y, int64_t count, float factor, void *stream);
void launch_sum(void *x, void *y, void *z, int64_t count, void *stream);
