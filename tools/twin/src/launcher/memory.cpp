#include "memory.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace akgen::twin {

namespace {
[[noreturn]] void fail(const std::string &what, const std::string &file)
{
    throw std::runtime_error(what + " " + file + ": " + std::strerror(errno));
}

Pattern pattern_in(const std::string &file)
{
    std::ifstream stream(file, std::ios::binary);
    Pattern pattern{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (pattern.empty()) {
        fail("no pattern in", file);
    }
    return pattern;
}
} // namespace

LaunchMemory::LaunchMemory(const Manifest &manifest, const LaunchMemory *kept)
{
    if (manifest.poison_outputs != "-") {
        outputs_ = pattern_in(manifest.poison_outputs);
        scratch = pattern_in(manifest.poison_scratch);
    }
    std::vector<Placed> placed;
    for (const ArgumentLine &line : manifest.arguments) {
        placed.push_back(place(line, placed));
        arguments.push_back(placed.back().pointer);
    }
    for (const SaveLine &line : manifest.saves) {
        for (size_t i = 0; i < line.files.size(); ++i) {
            result(*placed.at(line.argument).tensors.at(i), line.files[i]);
        }
    }
    if (kept && kept->workspace_ && kept->workspace_->size_bytes() == manifest.workspace_bytes) {
        workspace_ = kept->workspace_;
    } else if (manifest.workspace_bytes > 0) {
        workspace_ = add("workspace", manifest.workspace_bytes, Poison::filled_on_touch, scratch);
    }
    workspace = workspace_ ? workspace_->data() : nullptr;
    arguments.push_back(workspace);
    uint8_t *tiling = nullptr;
    if (manifest.tiling != "-") {
        struct stat info = {};
        if (stat(manifest.tiling.c_str(), &info) != 0) {
            fail("cannot read", manifest.tiling);
        }
        tiling = load("tiling", {"uint8", {static_cast<uint64_t>(info.st_size)}, manifest.tiling})->data();
    }
    arguments.push_back(tiling);
}

LaunchMemory::~LaunchMemory()
{
    for (const Result &r : results_) {
        close(r.fd);
    }
}

std::vector<const GmMapping *> LaunchMemory::mappings() const
{
    std::vector<const GmMapping *> all;
    for (const auto &memory : memory_) {
        all.push_back(memory.get());
    }
    if (workspace_ && std::find(all.begin(), all.end(), workspace_) == all.end()) {
        all.push_back(workspace_);
    }
    return all;
}

GmMapping *LaunchMemory::add(const std::string &name, uint64_t bytes, Poison poison, const Pattern &pattern)
{
    memory_.push_back(std::make_unique<GmMapping>(name, bytes, poison, pattern));
    return memory_.back().get();
}

GmMapping *LaunchMemory::load(const std::string &name, const TensorItem &item)
{
    const uint64_t bytes = item.size_bytes();
    GmMapping *memory = add(name, bytes, Poison::none);
    memory->set_read_only(true);
    const int fd = open(item.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fail("cannot read", item.file);
    }
    struct stat info = {};
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && static_cast<uint64_t>(info.st_size) >= bytes &&
        memory->show_file(fd)) {
        close(fd);
        return memory;
    }
    uint64_t done = 0;
    while (done < bytes) {
        const ssize_t got = read(fd, memory->data() + done, bytes - done);
        if (got <= 0) {
            close(fd);
            throw std::runtime_error("the file " + item.file + " has fewer than the " + std::to_string(bytes) +
                                     " bytes of '" + name + "'");
        }
        done += static_cast<uint64_t>(got);
    }
    close(fd);
    return memory;
}

GmMapping *LaunchMemory::output(const std::string &name, const TensorItem &item, bool zeroed)
{
    GmMapping *memory = add(name, item.size_bytes(), zeroed ? Poison::zero : Poison::filled, outputs_);
    result(*memory, item.file);
    return memory;
}

void LaunchMemory::result(GmMapping &memory, const std::string &file)
{
    memory.set_read_only(false); // an input that the kernel works on in place

    unlink(file.c_str()); // an input may show the same file
    const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        fail("cannot write", file);
    }
    results_.push_back({fd, memory.data(), memory.size_bytes(), file});
}

LaunchMemory::Placed LaunchMemory::place(const ArgumentLine &line, const std::vector<Placed> &before)
{
    using Kind = ArgumentLine::Kind;
    switch (line.kind) {
    case Kind::in: {
        GmMapping *memory = load(line.name, line.items[0]);
        return {memory->data(), {memory}};
    }
    case Kind::out: {
        GmMapping *memory = output(line.name, line.items[0], line.zeroed);
        return {memory->data(), {memory}};
    }
    case Kind::alias:
    case Kind::list_alias: {
        const Placed &target = before.at(line.alias_of);
        for (size_t i = 0; i < line.items.size(); ++i) {
            result(*target.tensors.at(i), line.items[i].file);
        }
        return target;
    }
    case Kind::list_in:
    case Kind::list_out: {
        std::vector<GmMapping *> tensors;
        for (size_t i = 0; i < line.items.size(); ++i) {
            const std::string name = line.name + "[" + std::to_string(i) + "]";
            tensors.push_back(line.kind == Kind::list_in ? load(name, line.items[i])
                                                         : output(name, line.items[i], line.zeroed));
        }
        return {descriptor(line, tensors), tensors};
    }
    default: return {nullptr, {}};
    }
}

// A list of tensors: word 0 is the byte offset of the pointer table; before the table, for each tensor in turn, a word
// (index in the high half, number of dimensions in the low half) and its sizes.
uint8_t *LaunchMemory::descriptor(const ArgumentLine &line, const std::vector<GmMapping *> &tensors)
{
    std::vector<uint64_t> words = {0};
    for (size_t i = 0; i < line.items.size(); ++i) {
        words.push_back(static_cast<uint64_t>(i) << 32 | line.items[i].shape.size());
        words.insert(words.end(), line.items[i].shape.begin(), line.items[i].shape.end());
    }
    words[0] = words.size() * sizeof(uint64_t);
    for (const GmMapping *tensor : tensors) {
        words.push_back(reinterpret_cast<uint64_t>(tensor->data()));
    }
    GmMapping *memory = add(line.name, words.size() * sizeof(uint64_t), Poison::none);
    std::memcpy(memory->data(), words.data(), memory->size_bytes());
    return memory->data();
}

void LaunchMemory::write_results() const
{
    for (const Result &r : results_) {
        uint64_t done = 0;
        while (done < r.bytes) {
            const ssize_t wrote = write(r.fd, r.data + done, r.bytes - done);
            if (wrote <= 0) {
                fail("cannot write", r.file);
            }
            done += static_cast<uint64_t>(wrote);
        }
    }
}

} // namespace akgen::twin
