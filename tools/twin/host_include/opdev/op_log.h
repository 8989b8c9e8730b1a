#ifndef AKGEN_OPDEV_OP_LOG_H
#define AKGEN_OPDEV_OP_LOG_H
#include "log/log.h"
#endif
