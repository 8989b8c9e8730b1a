#ifndef AKGEN_ACLNN_OPDEV_OP_LOG_H
#define AKGEN_ACLNN_OPDEV_OP_LOG_H
#include "log/log.h"
#endif
