// Global memory of a launch: tensors from files, descriptors of tensor lists, and results back to files.
#pragma once
#include "device/launch.h"
#include "manifest.h"
#include <memory>
#include <vector>

namespace akgen::twin {

// Everything the kernel may touch and everything that is written after it. Files are opened in the constructor and
// kept open, so that the process can be locked down in between. Errors raise std::runtime_error.
class LaunchMemory {
public:
    // `kept` gives its workspace, as what ran there left it, where it is as large.
    explicit LaunchMemory(const Manifest &manifest, const LaunchMemory *kept = nullptr);
    ~LaunchMemory();
    LaunchMemory(const LaunchMemory &) = delete;

    std::vector<uint8_t *> arguments; // in the kernel's order: tensors, workspace, tiling
    uint8_t *workspace = nullptr;
    Pattern scratch; // what the workspace holds
    std::vector<const GmMapping *> mappings() const;
    void write_results() const;

private:
    struct Result {
        int fd;
        const uint8_t *data;
        uint64_t bytes;
        std::string file;
    };
    struct Placed { // tensors of one argument
        uint8_t *pointer;
        std::vector<GmMapping *> tensors;
    };
    GmMapping *add(const std::string &name, uint64_t bytes, Poison poison, const Pattern &pattern = {});
    GmMapping *load(const std::string &name, const TensorItem &item);
    GmMapping *output(const std::string &name, const TensorItem &item, bool zeroed);
    void result(GmMapping &memory, const std::string &file);
    Placed place(const ArgumentLine &line, const std::vector<Placed> &before);
    uint8_t *descriptor(const ArgumentLine &line, const std::vector<GmMapping *> &tensors);

    std::vector<std::unique_ptr<GmMapping>> memory_;
    const GmMapping *workspace_ = nullptr;
    std::vector<Result> results_;
    Pattern outputs_; // what outputs hold
};

} // namespace akgen::twin
