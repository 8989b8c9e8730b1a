// akgen_twin_host MANIFEST: load an operator's host library, describe it, and run its tiling function for one call.
// The report is one JSON object per line in a file; what host code prints goes to stdout and stderr as it likes.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "chip.h"
#include "crash.h"
#include "describe.h"
#include "json.h"
#include "lockdown.h"
#include "manifest.h"

namespace {

using namespace akgen::host;

constexpr int bad_manifest = 70;
constexpr uint64_t cpu_seconds = 30;
constexpr uint64_t address_bytes = uint64_t{4} << 30;
constexpr uint64_t file_bytes = 64 << 20;

void write_all(int fd, const void *data, size_t size)
{
    const auto *bytes = static_cast<const char *>(data);
    while (size > 0) {
        const ssize_t done = write(fd, bytes, size);
        if (done <= 0) {
            std::_Exit(bad_manifest);
        }
        bytes += done;
        size -= static_cast<size_t>(done);
    }
}

void report(int fd, const std::string &json)
{
    const std::string line = json + "\n";
    write_all(fd, line.data(), line.size());
}

int refuse(int fd, const char *code, const std::string &text)
{
    report(fd, "{\"error\":" + json_text(code) + ",\"text\":" + json_text(text) + "}");
    return 0;
}

std::string describe(const std::string &op_type)
{
    const Registry &all = registry();
    const auto impl = all.impls.find(op_type);
    const OpImpl *found = impl == all.impls.end() ? nullptr : &impl->second;
    std::string op = "null";
    for (const auto &[type, make] : all.ops) {
        if (type == op_type) {
            op = describe_op(make(type.c_str()), found);
        }
    }
    const auto name = [](const auto &pair) { return json_text(pair.first); };
    return "{\"op\":" + op + ",\"ops\":" + json_list(all.ops, name) + ",\"impls\":" + json_list(all.impls, name) +
           ",\"templates\":" + template_examples(op_type) +
           ",\"tiling_classes\":" + json_list(all.tiling_classes, describe_tiling_class) + "}";
}

int run_tiling(const Manifest &m, int report_fd, int tiling_fd)
{
    Node &node = *m.node;
    const TilingFunction tiling = tiling_of(m.op);
    if (tiling == nullptr) {
        return refuse(report_fd, "NO_TILING", "no tiling function is registered for " + m.op);
    }
    // Only IMPL_OP_OPTILING with TilingParse brings compile info; for an OpDef's own tiling function it is null.
    const OpImpl impl = registry().impls[m.op];
    if (impl.parse != nullptr) {
        node.compile_info = impl.make_compile_info();
        gert::TilingParseContext parse(&node, node.compile_info);
        const ge::graphStatus status = impl.parse(&parse);
        if (status != ge::GRAPH_SUCCESS) {
            return refuse(report_fd, "TILING_PARSE", "the TilingParse function returned " + std::to_string(status));
        }
    }
    for (unsigned long n = 0; n < m.calls_before; ++n) {
        Answer earlier;
        gert::TilingContext context(&node, &earlier);
        tiling(&context);
    }
    Answer answer;
    gert::TilingContext context(&node, &answer);
    const ge::graphStatus status = tiling(&context);
    if (impl.parse != nullptr) {
        impl.drop_compile_info(node.compile_info);
    }
    std::fflush(nullptr);
    const size_t size = answer.raw.GetDataSize();
    const auto number = [](size_t n) { return std::to_string(n); };
    if (size <= answer.raw.GetCapacity()) {
        write_all(tiling_fd, answer.raw.GetData(), size);
    }
    report(report_fd, "{\"status\":" + std::to_string(status) + ",\"tiling_bytes\":" + std::to_string(size) +
                          ",\"capacity\":" + std::to_string(answer.raw.GetCapacity()) +
                          ",\"tiling_key\":" + std::to_string(answer.tiling_key) +
                          ",\"block_dim\":" + (answer.block_dim_set ? std::to_string(answer.block_dim) : "null") +
                          ",\"schedule_mode\":" + std::to_string(answer.schedule_mode) +
                          ",\"workspaces\":" + json_list(answer.workspaces, number) +
                          ",\"template\":" + template_arguments(m.op, answer.tiling_key) +
                          ",\"complaints\":" + json_list(complaints(), json_text) + "}");
    const InferFunctions functions = infer_functions_of(m.op);
    if (status == ge::GRAPH_SUCCESS && (functions.shape != nullptr || functions.data_type != nullptr)) {
        report(report_fd, "{\"phase\":\"infer\"}"); // what happens from here on does not touch the tiling
        report(report_fd, "{\"infer\":" + infer(functions, node) + "}");
    }
    return 0;
}

// From here on the process holds what it needs; nothing else can be opened, started or reached.
void lock_down(const Manifest &m, int report_fd)
{
    akgen::Lockdown wanted;
    wanted.profile = akgen::SandboxProfile::kernel;
    wanted.serve = {m.host};
    wanted.report_fd = report_fd;
    wanted.cpu_s = cpu_seconds;
    wanted.address_bytes = address_bytes;
    wanted.file_bytes = file_bytes;
    akgen::akgen_lockdown(wanted);
}

int serve(const Manifest &m, int report_fd, int tiling_fd)
{
    lock_down(m, report_fd);
    if (dlopen(m.host.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        return refuse(report_fd, "HOST_LOAD", dlerror());
    }
    akgen::akgen_lockdown_seal();
    if (!m.has_call) {
        report(report_fd, describe(m.op));
        return 0;
    }
    return run_tiling(m, report_fd, tiling_fd);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: akgen_twin_host MANIFEST\n");
        return bad_manifest;
    }
    Manifest m;
    try {
        m = Manifest::read(argv[1]);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "akgen_twin_host: %s\n", e.what());
        return bad_manifest;
    }
    chip() = ChipFacts::read(m.chip);
    const int report_fd = open(m.report.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int tiling_fd = m.has_call ? open(m.tiling.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (report_fd < 0 || (m.has_call && tiling_fd < 0)) {
        std::perror("akgen_twin_host: cannot write the report");
        return bad_manifest;
    }
    report_crashes_to(report_fd, m.host.c_str());
    try {
        return serve(m, report_fd, tiling_fd);
    } catch (const std::exception &e) {
        return refuse(report_fd, "HOST_EXCEPTION", std::string("host code threw: ") + e.what());
    } catch (...) {
        return refuse(report_fd, "HOST_EXCEPTION", "host code threw something that is no std::exception");
    }
}
