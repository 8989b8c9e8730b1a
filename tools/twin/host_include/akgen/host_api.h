// Visibility and the few private types that the public host headers name.
#ifndef AKGEN_HOST_API_H
#define AKGEN_HOST_API_H
#include "akgen/host_std.h"
#define AKGEN_HOST_API __attribute__((visibility("default")))
namespace akgen::host {
struct Node;      // one call of an operator: shapes, types, attributes (src/host/node.h)
struct Answer;    // what the tiling function said
struct ChipFacts; // core counts and memory sizes (src/host/chip.h)
} // namespace akgen::host
#endif
