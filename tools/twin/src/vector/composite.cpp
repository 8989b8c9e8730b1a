#include "composite.h"

#include "../device/pipe.h"

namespace akgen::twin {

void Composite::span(const char *name, const View &v, uint64_t bytes, bool write)
{
    matrix(name, v, bytes, 1, 0, write);
}

void Composite::matrix(const char *name, const View &v, uint64_t row_bytes, uint32_t rows, uint64_t stride_bytes,
                       bool write)
{
    if (!v.data || row_bytes == 0 || rows == 0) {
        return;
    }
    require_operand(api_, pc_, name, v);
    accesses_.push_back(Access{v.data, row_bytes, rows, static_cast<int64_t>(stride_bytes), write, v.size_bytes});
}

void Composite::temporary(const View &work, uint64_t least)
{
    require_temporary(api_, pc_, work, least);
    work_ = work;
    least_ = least;
    work_at_ = accesses_.size();
    span("sharedTmpBuffer", work, least, true);
}

void Composite::no_sharing() const { warn_of_sharing(api_, pc_, accesses_.data(), accesses_.size()); }

void Composite::record()
{
    size_t next = 0;
    for (size_t i = 0; i < accesses_.size(); ++i) {
        const Access &a = accesses_[i];
        if (a.rows == 1 && i != work_at_) {
            require_apart(api_, pc_, work_, least_, View{const_cast<uint8_t *>(a.begin), 0}, a.row_bytes);
        }
    }
    for (const char *const *row = steps_; *row; ++row) {
        Instr instr = vector_instr(api_, *row, pc_, worked_in_, elements_);
        while (next < accesses_.size() && instr.n_access < 6) {
            instr.access[instr.n_access++] = accesses_[next++];
        }
        issue(instr);
    }
    mask_state() = MaskState{false, ~uint64_t{0}, ~uint64_t{0}};
}

void require_whole_blocks(const char *api, const void *pc, const char *what, uint64_t elements, uint32_t bytes)
{
    if (elements * bytes % 32 != 0) {
        trap("UB_ALIGNMENT", api, pc, "%s: %s of %llu elements is %llu bytes, not a multiple of 32.", api, what,
             static_cast<unsigned long long>(elements), static_cast<unsigned long long>(elements * bytes));
    }
}

void require_temporary(const char *api, const void *pc, const View &work, uint64_t least)
{
    if (!work.data) {
        require_left(api, pc, least);
        return;
    }
    if (work.size_bytes != 0 && work.size_bytes < least) {
        trap("TEMPORARY_SIZE", api, pc, "%s: sharedTmpBuffer has %u bytes; %llu are needed.", api, work.size_bytes,
             static_cast<unsigned long long>(least));
    }
}

void warn_of_little(const char *api, const void *pc, const View &work, uint64_t minimum)
{
    if (work.data && work.size_bytes != 0 && work.size_bytes < minimum) {
        warn("TEMPORARY_SIZE", api, pc, "%s: sharedTmpBuffer has %u bytes; Get%sMaxMinTmpSize asks for %llu at least.",
             api, work.size_bytes, api, static_cast<unsigned long long>(minimum));
    }
}

void warn_of_sharing(const char *api, const void *pc, const Access *accesses, size_t n)
{
    const auto end = [](const Access &a) {
        return a.begin + static_cast<int64_t>(a.rows - 1) * a.row_stride + static_cast<int64_t>(a.row_bytes);
    };
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; accesses[i].write && k < n; ++k) {
            if (!accesses[k].write && accesses[i].begin < end(accesses[k]) && accesses[k].begin < end(accesses[i])) {
                warn("PARTIAL_OVERLAP", api, pc,
                     "%s: a result and a source share memory, which its reference rules out.", api);
                return;
            }
        }
    }
}

void require_apart(const char *api, const void *pc, const View &work, uint64_t least, const View &operand,
                   uint64_t bytes)
{
    if (!work.data || !operand.data || least == 0 || bytes == 0) {
        return;
    }
    const bool apart = work.data >= operand.data + bytes || operand.data >= work.data + least;
    if (!apart) {
        warn("TEMPORARY_OVERLAP", api, pc,
             "%s: sharedTmpBuffer and an operand share memory; intermediate values overwrite it", api);
    }
}

} // namespace akgen::twin
