#include "program.h"
#include "akgen/unit.h"
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>

namespace akgen::twin {

namespace {
struct Memory {
    std::mutex mutex;
    std::map<void *, std::unique_ptr<GmMapping>> by_address;
    size_t count = 0;
};
Memory &memory()
{
    static auto *all = new Memory; // outlives the test's own globals
    return *all;
}
} // namespace

void *unit_alloc(size_t bytes)
{
    Memory &all = memory();
    const std::lock_guard lock(all.mutex);
    try {
        const std::string name = "GmAlloc " + std::to_string(++all.count);
        auto mapping = std::make_unique<GmMapping>(name, bytes, Poison::zero);
        void *address = mapping->data();
        all.by_address.emplace(address, std::move(mapping));
        return address;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "akgen: GmAlloc(%zu): %s\n", bytes, e.what());
        return nullptr;
    }
}

void unit_free(void *address)
{
    Memory &all = memory();
    const std::lock_guard lock(all.mutex);
    if (address && all.by_address.erase(address) == 0) {
        std::fprintf(stderr, "akgen: GmFree(%p): GmAlloc gave no such address\n", address);
    }
}

std::vector<const GmMapping *> unit_memory()
{
    Memory &all = memory();
    const std::lock_guard lock(all.mutex);
    std::vector<const GmMapping *> mappings;
    for (const auto &[address, mapping] : all.by_address) {
        mappings.push_back(mapping.get());
    }
    return mappings;
}

} // namespace akgen::twin
