// Checks and log macros of operator repositories.
#ifndef AKGEN_ERROR_OPS_ERROR_H
#define AKGEN_ERROR_OPS_ERROR_H
#include "log/log.h"

#define OPS_LOG_E(op, ...) OP_LOGE(op, __VA_ARGS__)
#define OPS_LOG_E_WITHOUT_REPORT(op, ...) OP_LOGE(op, __VA_ARGS__)
#define OPS_LOG_W(op, ...) OP_LOGW(op, __VA_ARGS__)
#define OPS_LOG_I(op, ...) OP_LOGI(op, __VA_ARGS__)
#define OPS_LOG_D(op, ...) OP_LOGD(op, __VA_ARGS__)
#define OPS_LOG_V(op, ...) OP_LOGV(op, __VA_ARGS__)
#define OPS_LOG_E_IF_NULL(op, pointer, result)                                                                         \
    do {                                                                                                               \
        if ((pointer) == nullptr) {                                                                                    \
            OP_LOGE(op, "%s is null", #pointer);                                                                       \
            result;                                                                                                    \
        }                                                                                                              \
    } while (0)
#define OPS_LOG_E_IF(condition, op, result, ...)                                                                       \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            OP_LOGE(op, __VA_ARGS__);                                                                                  \
            result;                                                                                                    \
        }                                                                                                              \
    } while (0)
#define OPS_REPORT_VECTOR_INNER_ERR(op, ...) OP_LOGE(op, __VA_ARGS__)
#define OPS_REPORT_CUBE_INNER_ERR(op, ...) OP_LOGE(op, __VA_ARGS__)
#define OPS_INNER_ERR_STUB(code, op, ...) OP_LOGE(op, __VA_ARGS__)
#define OPS_ERR_IF(condition, log, result) OP_CHECK_IF(condition, log, result)
#define OPS_CHECK(condition, log, result) OP_CHECK_IF(condition, log, result)

#endif
