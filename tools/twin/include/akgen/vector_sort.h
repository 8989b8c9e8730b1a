// Runtime entry points of the sorting instructions. A record is a score with its companion: 8 bytes (score, index)
// for the instructions of this chip, 16 bytes (a region proposal of 8 halfs, the score is number 4) for those of
// older chips.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

struct MergeLists {
    View list[4];
    uint16_t length[4]; // in records
    uint16_t valid;     // 0b11, 0b111 or 0b1111
    uint8_t repeat;
    bool suspend; // stop when one list is used up
};
// 32 scores and 32 indices per repeat to 32 records, largest score first.
AKGEN_API void sort_records(DType type, View dst, View scores, View indices, int64_t repeat);
// Merge up to four sorted lists; `taken` receives how many records came from each.
AKGEN_API void merge_records(DType type, bool proposals, View dst, const MergeLists &lists, uint32_t *taken);
AKGEN_API void last_merge(uint16_t *taken);
// Sort 32 * repeat records as a whole or 32 at a time, from scores and indices.
AKGEN_API void sort_all(DType type, View dst, View scores, View indices, View work, int64_t repeat, bool whole);
AKGEN_API void extract_records(DType type, View values, View indices, View records, int64_t repeat);

// Region proposals: 16 per repeat.
AKGEN_API void proposal_field(View proposals, View values, int64_t repeat, int32_t field, bool write);
AKGEN_API void sort_proposals(View dst, View src, int64_t repeat);

// Per row of `inner` values, of which n count: the k largest (or smallest), sorted, with their indices.
struct TopK {
    DType type;
    View values, indices, src, src_indices, finished, work;
    int32_t k;
    int32_t outer, inner, n;
    bool init_index; // src_indices are given, the same for every row
    bool has_finished;
    bool largest;
};
AKGEN_API void top_k(const TopK &call);

} // namespace akgen::twin
