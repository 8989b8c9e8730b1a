// Which cores a kernel wants: the records that KERNEL_TASK_TYPE leaves in the kernel's file.
#pragma once
#include "device/launch.h"
#include <string>

namespace akgen::twin {

// Raises std::runtime_error if the file is no ELF file. A kernel without a record runs on vector cores.
TaskType task_type_of(const std::string &kernel_file);

} // namespace akgen::twin
