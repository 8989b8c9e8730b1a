// The task of one run of akgen_twin_host: tab-separated lines, written by akgen.tools.twin.host.host_run.
//
//   akgen-twin-host 1
//   chip FILE | host SO | op TYPE | report FILE
//   call TILING_FILE                            run the tiling function; what follows describes the call
//   in  tensor DTYPE SHAPE FORMAT VALUES|-      SHAPE: comma-separated, '-' for no dimensions
//   in  none | in list COUNT + COUNT `item` lines of the same fields
//   out ...                                     likewise
//   attr TYPE VALUE | attr none                 in OpDef order; str in hex, lists comma-separated,
//                                               list_list_int with a field for each list
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "node.h"

namespace akgen::host {

struct Manifest {
    std::string chip, host, op, report, tiling;
    bool has_call = false;
    unsigned long calls_before = 0; // of the tiling function, in the same process
    std::unique_ptr<Node> node = std::make_unique<Node>();

    // Throws std::runtime_error with one sentence if the text is not a manifest.
    static Manifest read(const std::string &path);
};

} // namespace akgen::host
