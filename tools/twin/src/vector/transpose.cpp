// Transpose of 16 x 16 squares, and of rows given by their addresses.
#include "record.h"
#include "state.h"
#include "device/guest.h"
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "akgen/vector.h"

namespace akgen::twin {
namespace {

constexpr uint32_t list_rows = 16;

struct Lists {
    uint64_t dst[list_rows], src[list_rows];
};

struct RowList {
    const uint64_t *at;
    uint32_t repeat, stride; // in blocks of 32 bytes
    bool high;
};

// What the rows cover over all repeats: runs of bytes, those of one length and distance as one access.
void touch(std::vector<Access> &out, const RowList &rows, uint32_t written, bool write)
{
    static thread_local std::vector<uint64_t> starts;
    starts.clear();
    for (uint32_t r = 0; r < rows.repeat; ++r) {
        for (uint32_t i = 0; i < list_rows; ++i) {
            starts.push_back(rows.at[i] + uint64_t{r} * rows.stride * 32 + (rows.high ? 16 : 0));
        }
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    static thread_local std::vector<std::pair<uint64_t, uint64_t>> runs; // start, bytes
    runs.clear();
    for (const uint64_t start : starts) {
        if (!runs.empty() && runs.back().first + runs.back().second == start) {
            runs.back().second += written;
        } else {
            runs.emplace_back(start, written);
        }
    }
    for (size_t i = 0; i < runs.size();) {
        const auto [start, bytes] = runs[i];
        const uint64_t distance = i + 1 < runs.size() ? runs[i + 1].first - start : 0;
        size_t count = 1;
        while (i + count < runs.size() && runs[i + count].second == bytes &&
               runs[i + count].first == start + count * distance) {
            ++count;
        }
        out.push_back(Access{reinterpret_cast<uint8_t *>(start), bytes, static_cast<uint32_t>(count),
                             count > 1 ? static_cast<int64_t>(distance) : 0, write, 0});
        i += count;
    }
}

void lists(const char *api, const void *pc, DType type, const Lists &l, bool dst_high, bool src_high, uint32_t repeat,
           uint32_t dst_repeat, uint32_t src_repeat)
{
    const uint32_t bytes = dtype_bytes(type);
    if (bytes != 1 && (dst_high || src_high)) {
        trap("TRANSPOSE_PARAMS", api, pc, "%s: the high half of a block exists for 8-bit types only", api);
    }
    for (uint32_t i = 0; i < list_rows; ++i) {
        require_operand(api, pc, "a row of dstList", View{reinterpret_cast<uint8_t *>(l.dst[i]), 0});
        require_operand(api, pc, "a row of srcList", View{reinterpret_cast<uint8_t *>(l.src[i]), 0});
    }
    const uint32_t written = bytes == 1 ? 16 : 32;
    // A single repeat begins one stride behind the addresses (page "TransDataTo5HD", on repeatTimes).
    if (repeat == 1 && (dst_repeat != 0 || src_repeat != 0)) {
        Lists behind{};
        for (uint32_t i = 0; i < list_rows; ++i) {
            behind.dst[i] = l.dst[i] + uint64_t{dst_repeat} * 32;
            behind.src[i] = l.src[i] + uint64_t{src_repeat} * 32;
        }
        lists(api, pc, type, behind, dst_high, src_high, 1, 0, 0);
        return;
    }
    static thread_local std::vector<Access> touched;
    touched.clear();
    touch(touched, {l.src, repeat, src_repeat, src_high}, written, false);
    touch(touched, {l.dst, repeat, dst_repeat, dst_high}, written, true);
    // One instruction; what does not fit into its record follows without taking time.
    for (size_t first = 0; first < touched.size(); first += 6) {
        Instr instr = vector_instr(api, apis::TransDataTo5HD.steps[0], pc, type,
                                   first == 0 ? uint64_t{list_rows} * written / bytes * repeat : 0);
        for (size_t i = first; i < first + 6 && i < touched.size(); ++i) {
            instr.access[instr.n_access++] = touched[i];
        }
        issue(instr);
    }
    for (uint32_t r = 0; r < repeat; ++r) {
        const uint64_t to = static_cast<uint64_t>(r) * dst_repeat * 32 + (dst_high ? 16 : 0);
        const uint64_t from = static_cast<uint64_t>(r) * src_repeat * 32 + (src_high ? 16 : 0);
        const auto dst_row = [&](uint32_t i) { return reinterpret_cast<uint8_t *>(l.dst[i]) + to; };
        const auto src_row = [&](uint32_t i) { return reinterpret_cast<const uint8_t *>(l.src[i]) + from; };
        uint8_t square[list_rows][32];
        for (uint32_t i = 0; i < list_rows; ++i) {
            std::memcpy(square[i], src_row(i), written);
        }
        const uint32_t columns = written / bytes; // elements of a row
        for (uint32_t c = 0; c < columns; ++c) {
            for (uint32_t i = 0; i < list_rows; ++i) {
                // 4-byte rows have 8 elements: column c takes two destination rows of 8.
                const uint32_t row = bytes == 4 ? 2 * c + i / 8 : c;
                const uint32_t at = bytes == 4 ? i % 8 : i;
                std::memcpy(dst_row(row) + at * bytes, &square[i][c * bytes], bytes);
            }
        }
    }
}

} // namespace

void transpose_square(const char *api, View dst, View src)
{
    const void *pc = __builtin_return_address(0);
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", src);
    Instr instr = vector_instr(api, apis::Transpose.steps[0], pc, DType::U16, 256);
    add_span(instr, src, 512, false);
    add_span(instr, dst, 512, true);
    issue(instr);
    uint16_t square[256];
    std::memcpy(square, src.data, sizeof square);
    uint16_t *out = reinterpret_cast<uint16_t *>(dst.data);
    for (uint32_t i = 0; i < 16; ++i) {
        for (uint32_t k = 0; k < 16; ++k) {
            out[i * 16 + k] = square[k * 16 + i];
        }
    }
}

void transpose_lists(DType type, const uint64_t *dst, const uint64_t *src, bool dst_high, bool src_high,
                     uint32_t repeat, uint32_t dst_repeat, uint32_t src_repeat)
{
    const void *pc = __builtin_return_address(0);
    Lists l;
    require_guest(apis::TransDataTo5HD.name, pc, dst, sizeof l.dst, false);
    require_guest(apis::TransDataTo5HD.name, pc, src, sizeof l.src, false);
    std::memcpy(l.dst, dst, sizeof l.dst);
    std::memcpy(l.src, src, sizeof l.src);
    lists(apis::TransDataTo5HD.name, pc, type, l, dst_high, src_high, repeat, dst_repeat, src_repeat);
}

void transpose_lists_from(DType type, View dst, View src, bool dst_high, bool src_high, uint32_t repeat,
                          uint32_t dst_repeat, uint32_t src_repeat)
{
    const void *pc = __builtin_return_address(0);
    require_operand(apis::TransDataTo5HD.name, pc, "dstList", dst);
    require_operand(apis::TransDataTo5HD.name, pc, "srcList", src);
    Lists l;
    std::memcpy(l.dst, dst.data, sizeof l.dst);
    std::memcpy(l.src, src.data, sizeof l.src);
    lists(apis::TransDataTo5HD.name, pc, type, l, dst_high, src_high, repeat, dst_repeat, src_repeat);
}

void set_address_register(uint32_t number, const uint64_t *addresses)
{
    constexpr uint64_t bytes = 8 * sizeof *addresses;
    require_guest("SetVaReg", __builtin_return_address(0), addresses, bytes, false);
    std::memcpy(vector_state().transpose_lists[number % 8], addresses, bytes);
}
void transpose_registers(uint32_t dst, uint32_t src, uint32_t repeat, uint32_t dst_repeat, uint32_t src_repeat)
{
    const VectorState &state = vector_state();
    Lists l;
    for (uint32_t i = 0; i < list_rows; ++i) {
        l.dst[i] = state.transpose_lists[(dst + i / 8) % 8][i % 8];
        l.src[i] = state.transpose_lists[(src + i / 8) % 8][i % 8];
    }
    lists("scatter_vnchwconv_b16", __builtin_return_address(0), DType::U16, l, false, false, repeat, dst_repeat,
          src_repeat);
}

} // namespace akgen::twin
