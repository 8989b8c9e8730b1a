// Say where in the operator's host library a deadly signal came from, before dying of it.
#pragma once

namespace akgen::host {

// Write `{"signal":N,"so_offset":M}` to `report_fd` when the process is hit; `library` is the operator's, by path.
void report_crashes_to(int report_fd, const char *library);

} // namespace akgen::host
