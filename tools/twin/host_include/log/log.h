// Log macros. Errors go to stderr, from where they reach the report of a failed tiling; the rest is not printed.
#ifndef AKGEN_LOG_LOG_H
#define AKGEN_LOG_LOG_H
#include "akgen/host_api.h"

namespace akgen::host {
AKGEN_HOST_API void log_error(const std::string &op, const char *format, ...) __attribute__((format(printf, 2, 3)));
inline std::string op_name(const char *name) { return name == nullptr ? "" : name; }
inline std::string op_name(const std::string &name) { return name; }
template <class C> auto op_name(const C *context) -> decltype(std::string(context->GetNodeName()))
{
    return context == nullptr ? "" : context->GetNodeName();
}
template <class... T> void ignore(const T &...) {}
} // namespace akgen::host

#define OP_LOGE(op, ...) ::akgen::host::log_error(::akgen::host::op_name(op), __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(op, ...) OP_LOGE(op, __VA_ARGS__)
#define OP_LOGE_IF(condition, result, op, ...)                                                                         \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            OP_LOGE(op, __VA_ARGS__);                                                                                  \
            return result;                                                                                             \
        }                                                                                                              \
    } while (0)
#define OP_LOGW(op, ...) ::akgen::host::ignore(op, __VA_ARGS__)
#define OP_LOGI(op, ...) ::akgen::host::ignore(op, __VA_ARGS__)
#define OP_LOGD(op, ...) ::akgen::host::ignore(op, __VA_ARGS__)
#define OP_LOGV(op, ...) ::akgen::host::ignore(op, __VA_ARGS__)
#define OP_EVENT(op, ...) ::akgen::host::ignore(op, __VA_ARGS__)
#define ASC_CPU_LOG_ERROR(...) OP_LOGE(__func__, __VA_ARGS__)
#define ASC_CPU_LOG_WARNING(...) ::akgen::host::ignore(__VA_ARGS__)
#define ASC_CPU_LOG_INFO(...) ::akgen::host::ignore(__VA_ARGS__)
#define ASC_CPU_LOG_DEBUG(...) ::akgen::host::ignore(__VA_ARGS__)
#define OP_CHECK_IF(condition, log, result)                                                                            \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            log;                                                                                                       \
            result;                                                                                                    \
        }                                                                                                              \
    } while (0)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)                                                                   \
    do {                                                                                                               \
        if ((pointer) == nullptr) {                                                                                    \
            OP_LOGE(context, "%s is null", #pointer);                                                                  \
            return ge::GRAPH_FAILED;                                                                                   \
        }                                                                                                              \
    } while (0)

// Checks and log macros of operator repositories.
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

#define REPORT_INNER_ERROR(code, ...) ::akgen::host::log_error(code, __VA_ARGS__)
#define REPORT_CALL_ERROR(code, ...) ::akgen::host::log_error(code, __VA_ARGS__)

#endif
