// From the cores' logs to time: when each instruction ran, what each pipe waited for, and what bounds the kernel.
#pragma once
#include <string>

namespace akgen::twin {

#pragma GCC visibility push(hidden)
struct Launch;
#pragma GCC visibility pop

// Compute the timeline of a finished launch. Returns the report's launch line; writes a Chrome trace to `trace_fd`
// unless it is -1. With predictions: and what the launch would take if the kernel were written otherwise.
std::string timeline_report(const Launch &launch, int trace_fd, bool with_predictions);

} // namespace akgen::twin
