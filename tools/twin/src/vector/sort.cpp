// Sorting: 32 at a time, merging, extraction, region proposals.
#include "composite.h"
#include "reduce.h"
#include "record.h"
#include "device/guest.h"
#include "state.h"
#include <algorithm>
#include <cstring>
#include <vector>

#include "akgen/vector.h"

namespace akgen::twin {
namespace {

constexpr uint32_t most_records = 4095; // the field has twelve bits

struct RecordShape {
    DType type;
    uint32_t bytes; // of a record
    uint32_t score; // where the score lies in it
};
RecordShape shape_of(DType type, bool proposals)
{
    return proposals ? RecordShape{DType::F16, 16, 8} : RecordShape{type, 8, 0};
}

float score_of(const RecordShape &s, const uint8_t *record) { return load_real(s.type, record + s.score, 0); }
// Largest first; equals keep their order.
void sort_in_place(const RecordShape &s, uint8_t *records, size_t n)
{
    static thread_local std::vector<uint32_t> order;
    static thread_local std::vector<uint8_t> copy;
    order.resize(n);
    copy.assign(records, records + n * s.bytes);
    for (size_t i = 0; i < n; ++i) {
        order[i] = static_cast<uint32_t>(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return above(score_of(s, copy.data() + static_cast<size_t>(a) * s.bytes),
                     score_of(s, copy.data() + static_cast<size_t>(b) * s.bytes));
    });
    for (size_t i = 0; i < n; ++i) {
        std::memcpy(records + i * s.bytes, copy.data() + static_cast<size_t>(order[i]) * s.bytes, s.bytes);
    }
}

void require_repeat(const char *api, const void *pc, int64_t repeat)
{
    if (repeat < 0 || repeat > 255) {
        trap("REPEAT_RANGE", api, pc, "%s is called with %lld repeats; one instruction takes 0 to 255.", api,
             static_cast<long long>(repeat));
    }
}

void build_records(DType type, uint8_t *records, const uint8_t *scores, const uint8_t *indices, size_t n)
{
    const uint32_t bytes = dtype_bytes(type);
    for (size_t i = 0; i < n; ++i) {
        std::memset(records + i * 8, 0, 4);
        std::memcpy(records + i * 8, scores + i * bytes, bytes);
        std::memcpy(records + i * 8 + 4, indices + i * 4, 4);
    }
}

} // namespace

void sort_records(DType type, View dst, View scores, View indices, int64_t repeat)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::Sort32.name;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src0", scores);
    require_operand(api, pc, "src1", indices);
    require_repeat(api, pc, repeat);
    const uint64_t n = static_cast<uint64_t>(repeat) * 32;
    if (n == 0) {
        return;
    }
    Instr instr = vector_instr(apis::Sort32, pc, type, n);
    add_span(instr, scores, n * dtype_bytes(type), false);
    add_span(instr, indices, n * 4, false);
    add_span(instr, dst, n * 8, true);
    issue(instr);
    uint8_t records[32 * 8];
    for (int64_t r = 0; r < repeat; ++r) {
        build_records(type, records, scores.data + r * 32 * dtype_bytes(type), indices.data + r * 128, 32);
        sort_in_place(shape_of(type, false), records, 32);
        std::memcpy(dst.data + r * 256, records, sizeof records);
    }
}

void merge_records(DType type, bool proposals, View dst, const MergeLists &l, uint32_t *taken)
{
    const ApiFacts &facts = proposals ? apis::MrgSort4 : apis::MrgSort;
    const char *api = facts.name;
    const void *pc = __builtin_return_address(0);
    const RecordShape s = shape_of(type, proposals);
    // One list alone is passed through; kernels whose last round has a single list rely on it.
    if (l.valid != 1 && l.valid != 3 && l.valid != 7 && l.valid != 15) {
        trap("SORT_LISTS", api, pc, "%s: validBit must be 0b11, 0b111 or 0b1111; got %u.", api, l.valid);
    }
    const uint32_t count = static_cast<uint32_t>(__builtin_popcount(l.valid));
    const uint32_t repeat = l.repeat ? l.repeat : 1;
    uint64_t each = 0;
    require_operand(api, pc, "dst", dst, proposals ? s.bytes : 32);
    for (uint32_t i = 0; i < count; ++i) {
        require_operand(api, pc, "a source list", l.list[i], s.bytes); // a list begins with any record
        each += l.length[i];
        if (l.length[i] > most_records) {
            trap("SORT_LISTS", api, pc, "%s: a list has %u records; one instruction merges lists of up to %u.", api,
                 l.length[i], most_records);
        }
        if (repeat > 1 && (l.length[i] != l.length[0] || count != 4)) {
            trap("SORT_LISTS", api, pc, "%s: several repeats need four lists of the same length.", api);
        }
    }
    Instr instr = vector_instr(facts, pc, type, each * repeat);
    for (uint32_t i = 0; i < count; ++i) {
        add_span(instr, l.list[i],
                 repeat > 1 ? each * repeat * s.bytes - i * static_cast<uint64_t>(l.length[0]) * s.bytes
                            : static_cast<uint64_t>(l.length[i]) * s.bytes,
                 false);
    }
    add_span(instr, dst, each * repeat * s.bytes, true);
    issue(instr);
    static thread_local std::vector<uint8_t> merged; // dst may be one of the lists' buffers
    merged.resize(each * s.bytes);
    uint16_t at[4] = {};
    for (uint32_t r = 0; r < repeat; ++r) {
        std::fill(at, at + 4, uint16_t{0});
        size_t out = 0;
        for (bool going = true; going && out < each;) {
            int best = -1;
            float top = 0.0f;
            for (uint32_t i = 0; i < count; ++i) {
                if (at[i] < l.length[i]) {
                    const float score = score_of(s, l.list[i].data + (r * each + at[i]) * s.bytes);
                    if (best < 0 || above(score, top)) {
                        best = static_cast<int>(i);
                        top = score;
                    }
                }
            }
            const uint32_t from = static_cast<uint32_t>(best);
            std::memcpy(merged.data() + out++ * s.bytes, l.list[from].data + (r * each + at[from]) * s.bytes, s.bytes);
            at[from]++;
            going = !(l.suspend && at[from] == l.length[from]);
        }
        std::memcpy(dst.data + r * each * s.bytes, merged.data(), out * s.bytes);
    }
    for (uint32_t i = 0; i < 4; ++i) {
        vector_state().sorted_counts[i] = at[i];
        if (taken) {
            require_guest("MrgSort", __builtin_return_address(0), taken + i, sizeof *taken, true);
            taken[i] = at[i];
        }
    }
}
void last_merge(uint16_t *taken)
{
    require_guest("GetMrgSortResult", __builtin_return_address(0), taken, sizeof vector_state().sorted_counts, true);
    std::memcpy(taken, vector_state().sorted_counts, sizeof vector_state().sorted_counts);
}

void sort_all(DType type, View dst, View scores, View indices, View work, int64_t repeat, bool whole)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::Sort.name;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "concat", scores);
    require_operand(api, pc, "index", indices);
    const uint64_t n = static_cast<uint64_t>(repeat < 0 ? 0 : repeat) * 32;
    if (n == 0) {
        return;
    }
    if (whole && work.size_bytes != 0 && work.size_bytes < n * 8) {
        trap("WORK_TENSOR", api, pc, "Sort of %llu elements needs a temporary tensor of %llu bytes; it has %u.",
             static_cast<unsigned long long>(n), static_cast<unsigned long long>(n * 8), work.size_bytes);
    }
    Instr instr = vector_instr(apis::Sort, pc, type, n);
    add_span(instr, scores, n * dtype_bytes(type), false);
    add_span(instr, indices, n * 4, false);
    add_span(instr, dst, n * 8, true);
    warn_of_sharing(api, pc, instr.access, instr.n_access);
    add_span(instr, whole ? work : View{}, n * 8, true);
    issue(instr);
    for (uint64_t sorted = 32; whole && sorted < n; sorted *= 4) { // lists are merged by four
        Instr merge = vector_instr(api, apis::Sort.steps[1], pc, type, n);
        issue(merge);
    }
    static thread_local std::vector<uint8_t> records;
    records.resize(n * 8);
    build_records(type, records.data(), scores.data, indices.data, n);
    for (uint64_t at = 0; at < n; at += whole ? n : 32) {
        sort_in_place(shape_of(type, false), records.data() + at * 8, whole ? n : 32);
    }
    std::memcpy(dst.data, records.data(), n * 8);
}

void extract_records(DType type, View values, View indices, View records, int64_t repeat)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::Extract.name;
    require_operand(api, pc, "dstValue", values);
    require_operand(api, pc, "dstIndex", indices);
    require_operand(api, pc, "sorted", records);
    const uint64_t n = static_cast<uint64_t>(repeat < 0 ? 0 : repeat) * 32;
    if (n == 0) {
        return;
    }
    const uint32_t bytes = dtype_bytes(type);
    Instr instr = vector_instr(apis::Extract, pc, DType::U32, 2 * n);
    add_span(instr, records, n * 8, false);
    add_span(instr, values, n * bytes, true);
    add_span(instr, indices, n * 4, true);
    issue(instr);
    for (uint64_t i = 0; i < n; ++i) {
        uint8_t record[8];
        std::memcpy(record, records.data + i * 8, 8);
        std::memcpy(values.data + i * bytes, record, bytes);
        std::memcpy(indices.data + i * 4, record + 4, 4);
    }
}

void proposal_field(View proposals, View values, int64_t repeat, int32_t field, bool write)
{
    const void *pc = __builtin_return_address(0);
    const ApiFacts &facts = write ? apis::ProposalConcat : apis::ProposalExtract;
    const char *api = facts.name;
    require_operand(api, pc, "the proposals", proposals);
    require_operand(api, pc, "the values", values);
    require_repeat(api, pc, repeat);
    if (field < 0 || field > 5) {
        trap("SORT_LISTS", api, pc, "%s: modeNumber is 0 to 5; got %d.", api, field);
    }
    const uint64_t n = static_cast<uint64_t>(repeat) * 16;
    Instr instr = vector_instr(facts, pc, DType::F16, n);
    add_span(instr, proposals, n * 16, write);
    add_span(instr, values, n * 2, !write);
    if (n == 0) {
        return;
    }
    issue(instr);
    for (uint64_t i = 0; i < n; ++i) {
        uint8_t *slot = proposals.data + i * 16 + field * 2;
        std::memcpy(write ? slot : values.data + i * 2, write ? values.data + i * 2 : slot, 2);
    }
}

void sort_proposals(View dst, View src, int64_t repeat)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::RpSort16.name;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", src);
    require_repeat(api, pc, repeat);
    if (repeat == 0) {
        return;
    }
    Instr instr = vector_instr(apis::RpSort16, pc, DType::F16, static_cast<uint64_t>(repeat) * 16);
    add_span(instr, src, static_cast<uint64_t>(repeat) * 256, false);
    add_span(instr, dst, static_cast<uint64_t>(repeat) * 256, true);
    issue(instr);
    for (int64_t r = 0; r < repeat; ++r) {
        std::memmove(dst.data + r * 256, src.data + r * 256, 256);
        sort_in_place(shape_of(DType::F16, true), dst.data + r * 256, 16);
    }
}

} // namespace akgen::twin
