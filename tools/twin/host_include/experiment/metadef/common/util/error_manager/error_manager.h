#ifndef AKGEN_ERROR_MANAGER_H
#define AKGEN_ERROR_MANAGER_H
#include "log/log.h"
#define REPORT_INNER_ERROR(code, ...) ::akgen::host::log_error(code, __VA_ARGS__)
#define REPORT_CALL_ERROR(code, ...) ::akgen::host::log_error(code, __VA_ARGS__)
#endif
