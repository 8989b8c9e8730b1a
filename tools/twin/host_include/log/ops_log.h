#ifndef AKGEN_LOG_OPS_LOG_H
#define AKGEN_LOG_OPS_LOG_H
#include "error/ops_error.h"
#endif
