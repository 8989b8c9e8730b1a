// What the generated entries call: they add their arguments in order, have the call tiled, and launch it.
#include "nnopbase.h"
#include "runtime.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace {
size_t bytes(const aclTensor *t)
{
    size_t n = rehearsal::element_bytes(t->type);
    for (const auto dim : t->dims) {
        n *= static_cast<size_t>(dim);
    }
    return n;
}

struct Executor {
    std::string op, inputs, attrs, outputs;
    std::vector<const aclTensor *> read, written; // in the order of their files
    std::vector<bool> is_output_of_its_own;

    std::string described(const aclTensor *t, bool output)
    {
        auto &list = output ? written : read;
        std::ostringstream out;
        out << "{\"type\":" << t->type << ",\"dims\":[";
        for (size_t i = 0; i < t->dims.size(); ++i) {
            out << (i ? "," : "") << t->dims[i];
        }
        out << "],\"file\":" << list.size();
        if (output) {
            int alias = -1;
            for (size_t i = 0; i < read.size(); ++i) {
                alias = read[i]->data == t->data ? static_cast<int>(i) : alias;
            }
            const auto *first = static_cast<const uint8_t *>(t->data);
            bool zero = true;
            for (size_t i = 0; i < bytes(t) && zero; ++i) {
                zero = first[i] == 0;
            }
            out << ",\"alias\":" << alias << ",\"zeroed\":" << (zero ? "true" : "false");
        }
        list.push_back(t);
        return out.str() + "}";
    }
    static void add(std::string &to, const std::string &text) { to += (to.empty() ? "" : ",") + text; }
    std::string json(const char *what, const std::string &folder) const
    {
        const char *vendors = std::getenv("ASCEND_CUSTOM_OPP_PATH"), *profile = std::getenv("AKGEN_REHEARSAL_PROFILE");
        const char *opp = std::getenv("ASCEND_OPP_PATH"); // searched after the custom folders
        return std::string("{\"what\":\"") + what + "\",\"op\":\"" + op + "\",\"vendors\":\"" +
               (vendors == nullptr ? "" : vendors) + ":" + (opp == nullptr ? "" : opp) + "/vendors/customize\",\"profile\":\"" + (profile == nullptr ? "" : profile) +
               "\",\"inputs\":[" + inputs + "],\"attrs\":[" + attrs + "],\"outputs\":[" + outputs + "]}";
    }
};

template <typename Array> std::string values(const Array *array)
{
    if (array == nullptr) {
        return "null";
    }
    std::ostringstream out;
    out.precision(17);
    out << "[";
    for (size_t i = 0; i < array->values.size(); ++i) {
        out << (i ? "," : "") << array->values[i];
    }
    return out.str() + "]";
}
std::string named(const char *name, const std::string &value)
{
    return std::string("{\"name\":\"") + name + "\",\"value\":" + value + "}";
}
} // namespace

extern "C" {
void *rehearsal_begin(const char *op)
{
    auto *e = new Executor;
    e->op = op;
    return e;
}
void rehearsal_tensor(void *to, const aclTensor *t, int output)
{
    auto *e = static_cast<Executor *>(to);
    Executor::add(output ? e->outputs : e->inputs, t == nullptr ? "null" : e->described(t, output != 0));
}
void rehearsal_tensors(void *to, const aclTensorList *l, int output)
{
    auto *e = static_cast<Executor *>(to);
    std::string all;
    for (const auto *t : l->parts) {
        Executor::add(all, e->described(t, output != 0));
    }
    Executor::add(output ? e->outputs : e->inputs, "[" + all + "]");
}
void rehearsal_input_ints(void *to, const aclIntArray *a)
{
    Executor::add(static_cast<Executor *>(to)->inputs, a == nullptr ? "null" : "{\"values\":" + values(a) + "}");
}
void rehearsal_input_floats(void *to, const aclFloatArray *a)
{
    Executor::add(static_cast<Executor *>(to)->inputs, a == nullptr ? "null" : "{\"values\":" + values(a) + "}");
}
void rehearsal_input_bools(void *to, const aclBoolArray *a)
{
    Executor::add(static_cast<Executor *>(to)->inputs, a == nullptr ? "null" : "{\"values\":" + values(a) + "}");
}
void rehearsal_attr_bool(void *to, const char *name, bool v)
{
    Executor::add(static_cast<Executor *>(to)->attrs, named(name, v ? "true" : "false"));
}
void rehearsal_attr_int(void *to, const char *name, int64_t v)
{
    Executor::add(static_cast<Executor *>(to)->attrs, named(name, std::to_string(v)));
}
void rehearsal_attr_float(void *to, const char *name, double v)
{
    std::ostringstream out;
    out.precision(17);
    out << v;
    std::string text = out.str();
    text = text == "inf" ? "1e999" : text == "-inf" ? "-1e999" : text;
    Executor::add(static_cast<Executor *>(to)->attrs, named(name, text));
}
void rehearsal_attr_str(void *to, const char *name, const char *v)
{
    Executor::add(static_cast<Executor *>(to)->attrs, named(name, v == nullptr ? "null" : "\"" + std::string(v) + "\""));
}
void rehearsal_attr_ints(void *to, const char *name, const aclIntArray *v)
{
    Executor::add(static_cast<Executor *>(to)->attrs, named(name, values(v)));
}
void rehearsal_attr_floats(void *to, const char *name, const aclFloatArray *v)
{
    Executor::add(static_cast<Executor *>(to)->attrs, named(name, values(v)));
}
void rehearsal_attr_bools(void *to, const char *name, const aclBoolArray *v)
{
    Executor::add(static_cast<Executor *>(to)->attrs, named(name, values(v)));
}
int rehearsal_tile(void *of, uint64_t *size, void **executor)
{
    const int code = rehearsal::fault("GetWorkspaceSize");
    if (code == -11) {
        raise(SIGSEGV); // the tiling function crashes
    }
    while (code == -1) {
        pause(); // it does not end
    }
    if (code != 0) {
        return code;
    }
    auto *e = static_cast<Executor *>(of);
    const std::string folder = rehearsal::request_folder();
    const auto found = rehearsal::ask(folder, e->json("tile", folder));
    if (found.code != 0) {
        std::fprintf(stderr, "[ERROR] OP(%s): %s\n", e->op.c_str(), found.text.c_str());
        return found.code;
    }
    *size = static_cast<uint64_t>(found.number);
    *executor = e;
    return 0;
}
int rehearsal_launch(void *workspace, uint64_t size, void *executor, void *)
{
    auto *e = static_cast<Executor *>(executor);
    const int code = rehearsal::fault("launch");
    if (code != 0 || e == nullptr || (size != 0 && workspace == nullptr)) {
        return code != 0 ? code : 161001;
    }
    if (const int kernel = rehearsal::fault("kernel"); kernel != 0) {
        rehearsal::failed(kernel, "fault kernel_name=" + e->op);
        return 0;
    }
    for (const auto &list : {e->read, e->written}) {
        for (const auto *t : list) {
            if (!rehearsal::known_memory(t->data, bytes(t))) {
                rehearsal::failed(507035, "an address is none of the device's"); // only the wait tells
                return 0;
            }
        }
    }
    const std::string folder = rehearsal::request_folder();
    const auto write = [&](const std::vector<const aclTensor *> &list, const char *name) {
        for (size_t i = 0; i < list.size(); ++i) {
            std::ofstream out(folder + "/" + name + std::to_string(i), std::ios::binary);
            out.write(static_cast<const char *>(list[i]->data), static_cast<std::streamsize>(bytes(list[i])));
        }
    };
    write(e->read, "in");
    write(e->written, "was"); // what a kernel does not write, it leaves
    const auto found = rehearsal::ask(folder, e->json("launch", folder));
    if (found.code != 0) {
        rehearsal::failed(found.code, found.text);
        return 0;
    }
    const auto fetch = [&](const std::vector<const aclTensor *> &list, const char *name) {
        for (size_t i = 0; i < list.size(); ++i) {
            std::ifstream in(folder + "/" + name + std::to_string(i), std::ios::binary);
            if (in) {
                in.read(static_cast<char *>(list[i]->data), static_cast<std::streamsize>(bytes(list[i])));
            }
        }
    };
    fetch(e->written, "out");
    fetch(e->read, "changed");
    rehearsal::passed(found.number);
    return 0;
}
}
