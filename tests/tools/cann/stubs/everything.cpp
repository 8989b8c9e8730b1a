// An operator as the vendor's generator declares one: it writes what arrived, as text, into its last output.
#include "nnopbase.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <unistd.h>

namespace {
std::string said;
aclTensor *written, *aliased, *kept;

template <typename T> std::string list(const T *array)
{
    if (array == nullptr) {
        return "null";
    }
    std::ostringstream out;
    for (const auto value : array->values) {
        out << value << ' ';
    }
    return out.str();
}
std::string tensor(const aclTensor *t)
{
    if (t == nullptr) {
        return "null";
    }
    std::ostringstream out;
    for (const auto dim : t->dims) {
        out << dim << 'x';
    }
    out << t->type << '/' << t->format;
    return out.str();
}
} // namespace

extern "C" int aclnnEverythingGetWorkspaceSize(const aclTensor *x, const aclTensor *biasOptional,
                                               const aclIntArray *shape, const aclTensorList *parts,
                                               const aclTensor *stateRef, const aclTensor *lastOptional, double eps,
                                               int64_t axis, bool keep, char *mode, const aclIntArray *dims,
                                               const aclFloatArray *scales, const aclBoolArray *mask, const aclTensor *own,
                                               const aclTensor *zeros, const aclTensor *out, uint64_t *size,
                                               aclOpExecutor **executor)
{
    if (const char *code = std::getenv("AKGEN_STUB_TILING")) {
        if (std::strcmp(code, "crash") == 0) {
            std::abort();
        }
        while (std::strcmp(code, "hang") == 0) {
        }
        return std::atoi(code);
    }
    std::ostringstream text;
    text.precision(17);
    text << "x=" << tensor(x) << ";bias=" << tensor(biasOptional) << ";shape=" << list(shape)
         << ";parts=" << parts->parts.size() << ";state=" << tensor(stateRef) << ";last=" << tensor(lastOptional)
         << ";eps=" << eps << ";axis=" << axis << ";keep=" << keep << ";mode=" << mode << ";dims=" << list(dims)
         << ";scales=" << list(scales) << ";mask=" << list(mask) << ";own_is_x=" << (own->data == x->data)
         << ";zero=" << int(static_cast<char *>(zeros->data)[0]) << ";";
    said = text.str();
    written = const_cast<aclTensor *>(out);
    kept = const_cast<aclTensor *>(stateRef);
    *size = 64;
    *executor = new aclOpExecutor;
    return 0;
}

extern "C" int aclnnEverything(void *workspace, uint64_t size, aclOpExecutor *, void *)
{
    if (workspace == nullptr || size != 64) {
        return 161001;
    }
    char *to = static_cast<char *>(written->data);
    std::memset(to, 0, static_cast<size_t>(written->dims[0]));
    std::memcpy(to, said.data(), said.size());
    static_cast<char *>(kept->data)[0] = 42;
    if (const char *ms = std::getenv("AKGEN_STUB_SLEEP_MS")) {
        usleep(1000u * static_cast<unsigned>(std::atoi(ms)));
    }
    if (const char *beyond = std::getenv("AKGEN_STUB_BEYOND")) {
        to[written->dims[0] + std::atoi(beyond)] = 7;
    }
    return 0;
}
