#include "pages.h"
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace akgen::twin {

namespace {
// A large range takes whole large pages: what is left over would come in hundreds of small ones.
uint64_t whole_pages(uint64_t bytes)
{
    return round_up(bytes, bytes >= large_page_bytes ? large_page_bytes : page_bytes);
}
} // namespace

void prefer_large_pages(uint8_t *begin, uint64_t bytes)
{
    if (bytes >= large_page_bytes) {
        madvise(begin, bytes, MADV_HUGEPAGE);
    }
}

void have_pages(uint8_t *begin, uint64_t bytes)
{
    constexpr int populate_write = 23; // MADV_POPULATE_WRITE, Linux 5.14
    prefer_large_pages(begin, bytes);
    madvise(begin, bytes, populate_write);
}

void *zeroed_pages(uint64_t bytes)
{
    const uint64_t whole = whole_pages(bytes);
    const uint64_t reserved = whole >= large_page_bytes ? whole + large_page_bytes : whole; // room to start at one
    void *memory = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    auto *begin = static_cast<uint8_t *>(memory);
    if (reserved == whole) {
        return begin;
    }
    auto *aligned = reinterpret_cast<uint8_t *>(round_up(reinterpret_cast<uint64_t>(begin), large_page_bytes));
    if (aligned > begin) {
        munmap(begin, static_cast<uint64_t>(aligned - begin));
    }
    if (begin + reserved > aligned + whole) {
        munmap(aligned + whole, static_cast<uint64_t>(begin + reserved - aligned) - whole);
    }
    prefer_large_pages(aligned, whole);
    return aligned;
}

void drop_pages(void *memory, uint64_t bytes)
{
    if (memory) {
        munmap(memory, whole_pages(bytes));
    }
}

void fill(uint8_t *begin, uint64_t bytes, const std::vector<uint8_t> &pattern)
{
    if (pattern.empty()) {
        std::memset(begin, 0xff, bytes);
        return;
    }
    const uint64_t first = std::min<uint64_t>(bytes, pattern.size());
    std::memcpy(begin, pattern.data(), first);
    // Short patterns grow first, so that each copy is a long one.
    for (uint64_t done = first; done < bytes;) {
        const uint64_t next = std::min(bytes - done, std::max<uint64_t>(first, std::min<uint64_t>(done, 1 << 16)));
        const uint64_t whole = next < first ? next : next / first * first;
        std::memcpy(begin + done, begin, whole);
        done += whole;
    }
}

void fill_lazily(uint8_t *begin, uint64_t bytes, const std::vector<uint8_t> &pattern)
{
    constexpr uint64_t most_parts = 1024;
    const uint64_t unit = std::max<uint64_t>(16 * page_bytes, pattern.size()); // whole patterns of whole pages
    const uint64_t part = round_up(std::max<uint64_t>(bytes / most_parts, unit), unit);
    const int file = memfd_create("poison", MFD_CLOEXEC);
    std::vector<uint8_t> filled(part);
    fill(filled.data(), part, pattern);
    if (file < 0 || write(file, filled.data(), part) != static_cast<ssize_t>(part)) {
        if (file >= 0) {
            close(file);
        }
        fill(begin, bytes, pattern); // an old or crowded machine
        return;
    }
    for (uint64_t at = 0; at < bytes; at += part) {
        const uint64_t size = std::min(part, round_up(bytes - at, page_bytes));
        if (mmap(begin + at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
            close(file);
            throw std::runtime_error("no memory to map");
        }
    }
    close(file);
}

SpareNumbers::~SpareNumbers()
{
    for (const Array &array : spare_) {
        drop_pages(array.numbers, array.count * sizeof(uint32_t));
    }
}

uint32_t *SpareNumbers::take(uint32_t count)
{
    for (Array &array : spare_) {
        if (array.count == count) {
            uint32_t *numbers = array.numbers;
            array = spare_.back();
            spare_.pop_back();
            std::memset(numbers, 0, count * sizeof(uint32_t));
            return numbers;
        }
    }
    return static_cast<uint32_t *>(zeroed_pages(count * sizeof(uint32_t)));
}

void SpareNumbers::give(uint32_t *numbers, uint32_t count)
{
    if (numbers) {
        spare_.push_back({numbers, count});
    }
}

} // namespace akgen::twin
