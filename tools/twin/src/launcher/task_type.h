// Which cores a kernel wants: the records that KERNEL_TASK_TYPE leaves in the kernel's file.
#pragma once
#include "device/launch.h"
#include <optional>
#include <string>

namespace akgen::twin {

// Raises std::runtime_error if the file is no ELF file. None: the kernel left no record.
std::optional<TaskType> task_type_of(const std::string &kernel_file);

} // namespace akgen::twin
